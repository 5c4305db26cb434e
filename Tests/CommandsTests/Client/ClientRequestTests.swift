import CommandSyntax
import Platform
import TestSupport
import Testing

@testable import Commands

/// What commands ask a daemon, and with which exit code they end.
@Suite struct ClientRequestTests {
    private let directory = TemporaryDirectory()

    /// Runs a command against a daemon that answers each request by a status and JSON.
    private func run(
        _ words: [String],
        _ answer: @escaping @Sendable (AnsweringOrigin.Request) -> (status: Int, json: String)
    ) -> (requests: [String], code: Int32) {
        let daemon = AnsweringOrigin { request in
            let (status, json) = answer(request)
            return .init(status, [("Content-Type", "application/json")], json)
        }
        let options = [
            "--admin", "127.0.0.1:\(daemon.port)", "--config", "/dev/null", "--token-file", directory.path("token"),
        ]
        let code = EntryPoint.withoutDaemon.run(words + options)
        let requests = daemon.requests.map { request in
            let content = String(decoding: request.content, as: UTF8.self)
            return "\(request.method) \(request.target)" + (content.isEmpty ? "" : " \(content)")
        }
        return (requests, code)
    }

    private func expect(_ words: String, _ json: String, _ requests: [String], _ code: Int32 = 0) {
        let result = run(words.split(separator: " ").map(String.init)) { _ in (200, json) }
        #expect(result.requests == requests && result.code == code, "\(words): \(result)")
    }

    @Test("ls asks for pages, or for the first resources of an order")
    func lists() {
        let one = #"{"resources":[{"uri":"http://a.example/","state":"fresh"}]}"#
        expect("ls", one, ["GET /v1/resources?limit=500"])
        expect("ls --limit 3 a/b", one, ["GET /v1/resources?limit=3&filter=a/b"])
        expect("ls --limit 501 --json", one, ["GET /v1/resources?limit=500"])
        expect("ls --sort size --limit 1000", one, ["GET /v1/resources?limit=1000&sort=size&reverse=false"])
        expect(
            "ls --sort size --reverse --limit 5 --json x",
            one,
            ["GET /v1/resources?limit=5&sort=size&reverse=true&filter=x"]
        )
        expect("ls --sort size --limit 1001", one, ["GET /v1/resources?limit=500"])
        expect("ls --sort url", one, ["GET /v1/resources?limit=500"])
        expect("ls --limit 0", one, [], 2)
        expect("ls --limit -1", one, [], 2)
        expect("ls", #"{"resources":[]}"#, ["GET /v1/resources?limit=500", "GET /v1/status"])
        expect("ls x", #"{"resources":[]}"#, ["GET /v1/resources?limit=500&filter=x"])
    }

    @Test("pages follow each other until there is none, or enough is known")
    func pages() {
        let answer: @Sendable (AnsweringOrigin.Request) -> (status: Int, json: String) = { request in
            let next = request.target.contains("cursor=") ? "" : #","next":"c d""#
            return (200, #"{"resources":[{"uri":"http://a.example/"},{"uri":"http://b.example/"}]\#(next)}"#)
        }
        #expect(
            run(["ls"], answer).requests == ["GET /v1/resources?limit=500", "GET /v1/resources?limit=500&cursor=c%20d"]
        )
        #expect(run(["ls", "--limit", "2"], answer).requests == ["GET /v1/resources?limit=2"])
        #expect(
            run(["ls", "--limit", "3"], answer).requests == [
                "GET /v1/resources?limit=3", "GET /v1/resources?limit=1&cursor=c%20d",
            ]
        )
    }

    @Test("one resource, its explanation and a request of the past are asked for by URL and identifier")
    func single() {
        expect("show http://a.example/?b", "{}", ["GET /v1/resources?uri=http://a.example/%3Fb"])
        expect("show http://a.example/ --json", "{}", ["GET /v1/resources?uri=http://a.example/"])
        expect("show http://a.example/ --as wget", "{}", [], 2)
        expect("explain http://a.example/", "{}", ["GET /v1/explain?url=http://a.example/"])
        expect(
            "explain http://a.example/ --json -H A:b -H C -X POST",
            "{}",
            ["GET /v1/explain?url=http://a.example/&header=A:b&header=C&method=POST"]
        )
        expect("explain --request 1a", "{}", ["GET /v1/requests/1a"])
        for more in ["http://a.example/", "-H A", "-X GET"] { expect("explain --request 1a \(more)", "{}", [], 2) }
        expect("explain", "{}", [], 2)
        expect("tunnels", "{}", ["GET /v1/tunnels?limit=100000"])
        expect("tunnels --json", "{}", ["GET /v1/tunnels?limit=100000"])
        expect("status", "{}", ["GET /v1/status"])
        expect("reload", "{}", ["POST /v1/reload"])
    }

    @Test("the mode and the log are shown, or changed")
    func modes() {
        expect("mode", "{}", ["GET /v1/mode"])
        expect("mode offline --json", "{}", [#"PUT /v1/mode {"mode":"offline"}"#])
        expect("mode api online", "{}", [#"PUT /v1/mode {"mode":"online","service":"api"}"#])
        expect("mode online api", "{}", [], 2)
        expect("log", "{}", ["GET /v1/log"])
        let names = LogCategoryNames.all.prefix(2).joined(separator: " ")
        let quoted = LogCategoryNames.all.prefix(2).map { "\"\($0)\"" }.joined(separator: ",")
        expect("log \(names) --json", "{}", ["PUT /v1/log {\"enabled\":[\(quoted)]}"])
        expect("log frob", "{}", [], 2)
    }

    @Test("content of one's own is put with its type, its lifetime and its status, or alone")
    func puts() throws {
        let file = try directory.write("abc", to: "content")
        expect("put http://a.example/ \(file)", "{}", ["PUT /v1/resources?uri=http://a.example/ abc"])
        expect(
            "put http://a.example/ \(file) --type text/plain --ttl 5m --status 203 --durable --json",
            "{}",
            ["PUT /v1/resources?uri=http://a.example/&ttl=300&status=203&durable=true abc"]
        )
        expect("put http://a.example/ \(file) --content-only", "{}", ["PATCH /v1/resources?uri=http://a.example/ abc"])
        expect("put http://a.example/ \(file) --content-only --type a/b", "{}", [], 2)
        expect("put http://a.example/ \(file) --content-only --status 200", "{}", [], 2)
        expect("put http://a.example/ \(file) --ttl 5", "{}", [], 2)
        expect("put http://a.example/", "{}", [], 2)
        expect("put http://a.example/ \(directory.path("none"))", "{}", [], 1)
    }

    @Test("resources are purged, wiped and invalidated by URL or pattern, and purged by tag, too")
    func changes() {
        expect("purge http://a.example/ --json", #"{"purged":1}"#, [#"POST /v1/purge {"uri":"http://a.example/"}"#])
        expect("purge http://a.example/", #"{"purged":0}"#, [#"POST /v1/purge {"uri":"http://a.example/"}"#], 3)
        expect("purge http://a.example/*", #"{"purged":2}"#, [#"POST /v1/purge {"filter":"http://a.example/*"}"#])
        expect("purge --yes **", #"{"purged":2}"#, [#"POST /v1/purge {"filter":"**"}"#])
        expect(
            "purge --tag t --tag u",
            #"{"purged":1}"#,
            [#"POST /v1/purge {"tags":["t"]}"#, #"POST /v1/purge {"tags":["u"]}"#]
        )
        expect("purge --tag t http://a.example/", #"{"purged":1}"#, [], 2)
        expect("purge", "{}", [], 2)
        expect("wipe http://a.example/", #"{"wiped":1}"#, [#"POST /v1/wipe {"uri":"http://a.example/"}"#])
        expect("wipe **", #"{"wiped":1}"#, [#"POST /v1/wipe {"filter":"**"}"#])
        expect(
            "invalidate http://a.example/",
            #"{"invalidated":1}"#,
            [#"POST /v1/invalidate {"uri":"http://a.example/"}"#]
        )
        expect(
            "invalidate http://a.example/",
            #"{"purged":1}"#,
            [#"POST /v1/invalidate {"uri":"http://a.example/"}"#],
            3
        )
    }

    @Test("what would be purged is asked for, and nothing is purged")
    func previews() {
        let stored = #"{"uri":"http://a.example/","variants":[{"size":1}]}"#
        expect("purge --dry-run http://a.example/", stored, ["GET /v1/resources?uri=http://a.example/"])
        expect("purge --dry-run --json http://a.example/", stored, ["GET /v1/resources?uri=http://a.example/"])
        expect("purge --dry-run http://a.example/", #"{"variants":[]}"#, ["GET /v1/resources?uri=http://a.example/"], 3)
        expect(
            "purge --dry-run --json --tag t",
            #"{"first":["http://a.example/"],"resources":1}"#,
            [#"POST /v1/purge {"tags":["t"],"dryRun":true}"#]
        )
        expect(
            "purge --dry-run --tag t",
            #"{"first":[],"resources":0}"#,
            [#"POST /v1/purge {"tags":["t"],"dryRun":true}"#],
            3
        )
        let page = #"{"resources":[{"uri":"http://a.example/","status":200},{"uri":"http://b.example/"}]}"#
        expect("purge --dry-run **", page, ["GET /v1/resources?limit=500&filter=**"])
        let absent = run(["purge", "--dry-run", "http://a.example/"]) { _ in (404, #"{"detail":"not stored"}"#) }
        #expect(absent.code == 3 && absent.requests.count == 1)
        let refused = run(["purge", "--dry-run", "http://a.example/"]) { _ in (500, "{}") }
        #expect(refused.code == 1)
    }

    @Test("URLs are loaded by name, by what is stored and fits a pattern, or by a list")
    func refreshes() throws {
        expect(
            "refresh http://a.example/ http://b.example/ --json",
            "{}",
            [#"POST /v1/refresh {"uri":"http://a.example/"}"#, #"POST /v1/refresh {"uri":"http://b.example/"}"#]
        )
        let stored =
            #"{"uri":"http://a.example/1","status":200},{"uri":"http://a.example/1","status":200},{"uri":"http://a.example/2"}"#
        let page = #"{"resources":[\#(stored)]}"#
        expect(
            "refresh http://a.example/*",
            page,
            [
                "GET /v1/resources?limit=500&filter=http://a.example/*",
                #"POST /v1/refresh {"uri":"http://a.example/1"}"#,
            ]
        )
        expect(
            "refresh http://a.example/*",
            #"{"resources":[]}"#,
            ["GET /v1/resources?limit=500&filter=http://a.example/*"],
            3
        )
        expect("refresh", "{}", [], 2)
        let list = try directory.write("# why\nhttp://a.example/\n", to: "list")
        expect("refresh --from \(list)", "{}", [#"POST /v1/refresh {"uri":"http://a.example/"}"#])
        expect("refresh --from \(list) --json", "{}", [#"POST /v1/refresh {"uri":"http://a.example/"}"#])
        let wrong = try directory.write("a\nhttp://a.example/\nb\n", to: "wrong")
        expect("refresh --from \(wrong)", "{}", [], 2)
        expect("refresh --from \(directory.path("none"))", "{}", [], 2)
    }

    @Test("of several URLs the others are loaded, too, unless the token is refused")
    func failedRefreshes() throws {
        let list = try directory.write("http://a.example/\nhttp://b.example/\n", to: "list")
        let page = #"{"resources":[{"uri":"http://a.example/","status":200},{"uri":"http://b.example/","status":200}]}"#
        func answers(_ status: Int) -> @Sendable (AnsweringOrigin.Request) -> (status: Int, json: String) {
            { request in request.method == "GET" ? (200, page) : (status, "{}") }
        }
        let pattern = run(["refresh", "http://*/"], answers(502))
        #expect(pattern.requests.count == 3 && pattern.code == 1)
        #expect(run(["refresh", "http://*/"], answers(401)).requests.count == 2)
        let listed = run(["refresh", "--from", list], answers(502))
        #expect(listed.requests.count == 2 && listed.code == 1)
        #expect(run(["refresh", "--from", list], answers(401)).code == 1)
    }

    @Test("an export asks for the archive of each resource, and goes on behind one that has left the store meanwhile")
    func exports() throws {
        func answers(_ status: Int) -> @Sendable (AnsweringOrigin.Request) -> (status: Int, json: String) {
            { request in
                if request.target.hasPrefix("/v1/resources?") {
                    return (200, #"{"resources":[{"id":"1"},{"id":"2"},{"id":"1"}]}"#)
                }
                return request.target.hasPrefix("/v1/resources/1/") ? (status, "{}") : (200, #"{"entries":[]}"#)
            }
        }
        let file = directory.path("store.har")
        let failed = run(["export", "--har", file], answers(500))
        #expect(failed.code == 1 && failed.requests.count == 2 && !SmallFile.exists(file), "\(failed)")
        let done = run(["export", "--har", file], answers(404))
        #expect(done.code == 0 && SmallFile.exists(file), "\(done)")
        #expect(
            done.requests == [
                "GET /v1/resources?limit=500", "GET /v1/resources/1/har?private=false",
                "GET /v1/resources/2/har?private=false",
            ]
        )
        let all = run(["export", "--har", file, "--private", "x"], answers(200))
        #expect(
            all.requests == [
                "GET /v1/resources?limit=500&filter=x", "GET /v1/resources/1/har?private=true",
                "GET /v1/resources/2/har?private=true",
            ]
        )
        expect("export", "{}", [], 2)
    }

    @Test("a frame of top is made of the last thousand requests, or of none", arguments: ["--once", "--json"])
    func frames(option: String) {
        let frame = ["GET /v1/status", "GET /v1/history", "GET /v1/requests?limit=1000"]
        expect("top \(option)", "{}", frame)
        let pages = run(["top", option]) { request in
            (
                200,
                request.target.contains("cursor=") ? "{}" : #"{"requests":[{"url":"http://a.example/"}],"next":"c d"}"#
            )
        }
        #expect(pages.code == 0 && pages.requests == frame + ["GET /v1/requests?limit=999&cursor=c%20d"], "\(pages)")
        for (status, code) in [(404, 0), (500, 1)] as [(Int, Int32)] {
            let result = run(["top", option]) { request in
                (request.target.hasPrefix("/v1/requests") ? status : 200, "{}")
            }
            #expect(result.code == code && result.requests == frame, "\(result)")
        }
    }

    @Test(
        "the exit code is that of the daemon's status",
        arguments: [(200, 0), (400, 1), (401, 1), (404, 3), (422, 2), (500, 1), (503, 1)] as [(Int, Int32)]
    )
    func statuses(status: Int, code: Int32) {
        #expect(run(["status"]) { _ in (status, #"{"detail":"no"}"#) }.code == code)
        #expect(run(["mode", "offline", "--json"]) { _ in (status, #"{"detail":"no"}"#) }.code == code)
    }
}
