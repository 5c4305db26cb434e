import Testing
import TestSupport

/// GraphQL requests over a daemon with a settings file (C-24.7).
struct GraphQLTests {
    /// An origin that tells how often it was asked; a daemon with a rule for it.
    private final class Setting {
        let origin: ScriptedOrigin
        let home = TemporaryDirectory()
        private let file: String
        private(set) var daemon: DaemonProcess?
        let url: String

        init(_ members: String = "graphql = true") throws {
            origin = try ScriptedOrigin { exchange in
                _ = try exchange.content()
                try exchange.reply("200 OK", ["Content-Type: application/json"], body: "{\"data\":\(exchange.ordinal)}")
            }
            url = origin.url("/graphql")
            let rule = "[[rule]]\nmatch = \"\(url)\"\nmethods = [\"POST\"]\nttl = \"1h\"\nkey-body = { \(members) }\n"
            file = try home.write(rule, to: "respite.toml")
            try start()
        }

        func start() throws {
            daemon = nil
            daemon = try DaemonProcess(["--config", file], home: home)
        }

        /// Asks, and returns whether that was a hit, and the detail of Cache-Status.
        func send(_ content: String, _ type: String = "application/json") throws -> (isHit: Bool, detail: String?) {
            let daemon = try #require(daemon)
            let response = try daemon.fetch("POST", url, ["Content-Type: \(type)"], content: Array(content.utf8))
            #expect(response.status == 200)
            let detail = response.cacheStatus.split(separator: "detail=").dropFirst().first
            return (response.isHit, detail.map { String($0.prefix { $0 != ";" }) })
        }

        /// The JSON of a request.
        func ask(_ document: String, _ members: String) throws -> (isHit: Bool, detail: String?) {
            let lines = document.split(separator: "\n").joined(separator: "\\n")
            return try send("{\"query\":\"\(lines)\"\(members.isEmpty ? "" : ",")\(members)}")
        }
    }

    @Test("a query is found again, however it is written; other variables, names and extensions are others (C-24.7)")
    func queries() throws {
        let setting = try Setting()
        let document = "query Q($id: ID!) {\n  # the name only\n  user(id: $id) { name, }\n}"
        #expect(try !setting.ask(document, "\"variables\":{\"id\":1}").isHit)
        #expect(try setting.ask("query Q($id:ID!){user(id:$id){name}}", "\"variables\": { \"id\" : 1 }").isHit)
        let other = #"{"variables":{"id":1},"operationName":null,"query":"query Q($id:ID!),{user(id:$id),{name}}"}"#
        #expect(try setting.send(other).isHit)
        #expect(setting.origin.requests.count == 1)
        #expect(try !setting.ask(document, "\"variables\":{\"id\":2}").isHit)
        #expect(try !setting.ask(document, "\"variables\":{\"id\":1},\"operationName\":\"Q\"").isHit)
        #expect(try !setting.ask(document, "\"variables\":{\"id\":1},\"extensions\":{\"x\":1}").isHit)
        #expect(try !setting.send("{ user { name } }", "application/graphql").isHit)
        #expect(try setting.send("{user{name}}", "application/graphql").isHit)
    }

    @Test("after a mutation all questions of its URL are asked again, also those that only the store has (C-24.7)")
    func mutation() throws {
        let setting = try Setting()
        for number in 0..<3 { #expect(try !setting.ask("{a}", "\"variables\":{\"x\":\(number)}").isHit) }
        #expect(try setting.ask("{ a }", "\"variables\":{\"x\":0}").isHit)
        #expect(try setting.daemon?.stop() == 0)
        try setting.start()
        #expect(try setting.ask("{a}", "\"variables\":{\"x\":0}").isHit)
        for _ in 0..<2 { #expect(try setting.ask("mutation { a }", "").detail == "key-body-mutation") }
        for number in 0..<3 { #expect(try !setting.ask("{a}", "\"variables\":{\"x\":\(number)}").isHit) }
        #expect(setting.origin.requests.count == 8)
    }

    @Test("what is no query alone passes and says why; only what may be a mutation drops questions (C-24.7)")
    func passing() throws {
        let setting = try Setting()
        #expect(try !setting.ask("{a}", "").isHit)
        let harmless = [
            ("{\"query\":\"subscription { a }\"}", "key-body-subscription"),
            ("[{\"query\":\"{a}\"},{\"query\":\"{b}\"}]", "key-body-batch"), ("{\"query\":\"{a\"}", "key-body-form"),
            ("no json", "key-body-form"),
        ]
        for (content, detail) in harmless { for _ in 0..<2 { #expect(try setting.send(content).detail == detail) } }
        #expect(try setting.ask("{a}", "").isHit)
        let changing = [
            ("{\"query\":\"query A{a} mutation B{b}\",\"operationName\":\"A\"}", "key-body-mutation"),
            ("[{\"query\":\"{a}\"},{\"query\":\"mutation{b}\"}]", "key-body-mutation"),
            ("{\"extensions\":{\"persistedQuery\":{\"version\":1,\"sha256Hash\":\"00\"}}}", "key-body-persisted"),
        ]
        for (content, detail) in changing {
            #expect(try setting.send(content).detail == detail)
            #expect(try !setting.ask("{a}", "").isHit)
            #expect(try setting.ask("{a}", "").isHit)
        }
    }

    @Test("ignored members of the request do not count, and `explain` names the form")
    func ignored() throws {
        let setting = try Setting("graphql = true, ignore = [\"$.extensions.client\"]")
        #expect(try !setting.ask("{a}", "\"extensions\":{\"client\":1}").isHit)
        #expect(try setting.ask("{a}", "\"extensions\":{\"client\":2}").isHit)
        #expect(try !setting.ask("{a}", "\"extensions\":{\"server\":1}").isHit)
        let daemon = try #require(setting.daemon)
        let text = try daemon.admin("GET", "/v1/explain?url=\(setting.url)&method=POST").text
        #expect(text.contains("graphql, without $.extensions.client"))
    }
}
