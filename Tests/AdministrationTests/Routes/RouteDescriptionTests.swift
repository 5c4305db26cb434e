import HTTPCore
import JSON
import Settings
import TestSupport
import Testing

@testable import Administration

/// What `/v1/openapi.json` says of methods, parameters and rights is what requests find.
@Suite struct RouteDescriptionTests {
    private static let admin = Result { try FilledAdmin() }
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]

    /// The document's operations: the path with a value in it, the method, and what the document says.
    private static func operations() throws -> [(path: String, method: String, operation: JSONValue)] {
        let filled = try admin.get()
        let id = try filled.id(FilledAdmin.held)
        let document = try filled.admin.json("/v1/openapi.json")
        return (document["paths"]?.members ?? []).flatMap { path in
            let value = path.name.hasPrefix("/v1/requests") ? "1" : path.name.hasPrefix("/assets") ? "app.js" : id
            let actual = path.name.replacing(#/\{\w+\}/#, with: value)
            return path.value.members.map { (actual, $0.name.uppercased(), $0.value) }
        }
    }

    /// Sends a request, and reads no more than the head of the response: some have no end.
    private static func head(_ method: String, _ target: String, _ fields: [String]) throws -> Answer {
        let admin = try admin.get().admin
        let client = RawClient(port: admin.port)
        client.send(
            ([
                "\(method) \(target) HTTP/1.1", admin.host,
            ] + fields + ["Content-Length: 0", "Connection: close", "", ""]).joined(separator: "\r\n")
        )
        let text = client.receive {
            $0.contains("\r\n\r\n") && ($0.contains("\n\n") || $0.contains("}") || !$0.contains("problem+json"))
        }
        guard let answer = Answer(Array(text.utf8)) else { throw TestAdmin.NoAnswer(bytes: text) }
        return answer
    }

    // MARK: Methods

    @Test("a path answers the methods of the document, and 405 with Allow to every other (H-145)")
    func allowed() throws {
        let operations = try Self.operations()
        let paths = Dictionary(grouping: operations, by: \.path)
        #expect(paths.count == RouteDescription.all.count && paths.count > 25)
        for (path, described) in paths {
            let named = described.flatMap { $0.method == "GET" ? ["GET", "HEAD"] : [$0.method] }
            for method in Self.methods {
                let answer = try Self.head(method, path, [TestAdmin.bearer])
                if named.contains(method) {
                    #expect(answer.status != 405 && answer.status != 404, "\(method) \(path): \(answer.status)")
                } else {
                    #expect(answer.status == 405, "\(method) \(path): \(answer.status)")
                    #expect(answer["Allow"] == named.joined(separator: ", "), "\(method) \(path)")
                }
            }
        }
    }

    @Test(
        "a variable of a path is one segment that names something",
        arguments: [
            "/v1/resources/", "/v1/resources//body", "/v1/resources/body", "/v1/resources/a/b/body", "/v1/requests/",
            "/v1/requests/1/2", "/v1/requests/A", "/assets/", "/assets/index.html", "/assets/../login", "/v1/",
            "/v1/openapi",
            "/v1/resources/%61", "//", "",
        ]
    )
    func segments(path: String) throws {
        #expect(MatchedRoute(path: path) == nil)
        #expect(MatchedRoute(path: "/v1/requests/stream")?.route == .requestStream)
    }

    @Test("a variable is not empty, and what stands around it is not one and the same text")
    func around() {
        let described = RouteDescription("/v1/resources/{id}/body", []) { $0 == "never" ? nil : .health }
        for path in ["/v1/resources/body", "/v1/resources//body", "/v1/resources/", "/v1/resources/never/body"] {
            #expect(described.route(of: path) == nil, "\(path)")
        }
        #expect(described.route(of: "/v1/resources/a/body") == .health)
    }

    // MARK: Parameters

    @Test("a path takes the parameters of the document, each as often as it says, and no other")
    func parameters() throws {
        var count = 0
        for (path, method, operation) in try Self.operations() {
            let unknown = try Self.head(method, path + "?nope=1", [TestAdmin.bearer])
            #expect(unknown.status == 400 && unknown.text.contains("unknown parameter"), "\(method) \(path)")
            for parameter in operation["parameters"]?.elements ?? [] where parameter["in"]?.text == "query" {
                let name = try #require(parameter["name"]?.text)
                count += 1
                let once = try Self.head(method, "\(path)?\(name)=1", [TestAdmin.bearer])
                #expect(!once.text.contains("unknown parameter"), "\(method) \(path)?\(name)")
                let twice = try Self.head(method, "\(path)?\(name)=1&\(name)=1", [TestAdmin.bearer])
                let isRepeatable = parameter["schema"]?["type"]?.text == "array"
                #expect(twice.text.contains("twice") != isRepeatable, "\(method) \(path)?\(name)")
            }
        }
        #expect(count > 20)
    }

    @Test("an integer is accepted up to the limits of the document, and refused beyond them")
    func ranges() throws {
        var count = 0
        for (path, method, operation) in try Self.operations() where !path.hasSuffix("stream") {
            for parameter in operation["parameters"]?.elements ?? [] {
                guard let schema = parameter["schema"], let least = schema["minimum"]?.integer,
                    let most = schema["maximum"]?.integer, let name = parameter["name"]?.text
                else { continue }
                count += 1
                let place = path == "/v1/resources" && method != "GET" ? "\(path)?uri=http://h.example/x&" : "\(path)?"
                for (value, isAccepted) in [(least, true), (most, true), (least - 1, false), (most + 1, false)] {
                    let answer = try Self.head(method, "\(place)\(name)=\(value)", [TestAdmin.bearer])
                    #expect((answer.status == 400) != isAccepted, "\(method) \(place)\(name)=\(value): \(answer.text)")
                }
            }
        }
        #expect(count == 11)
    }

    @Test("a required parameter is required")
    func required() throws {
        var count = 0
        for (path, method, operation) in try Self.operations() {
            for parameter in operation["parameters"]?.elements ?? []
            where parameter["in"]?.text == "query" && parameter["required"] == .boolean(true) {
                count += 1
                #expect(try Self.head(method, path, [TestAdmin.bearer]).status == 400, "\(method) \(path)")
            }
        }
        #expect(count == 3)
    }

    // MARK: Rights

    @Test("a path wants the right of the document (H-142)")
    func rights() throws {
        let reader = "Authorization: Bearer \(FilledAdmin.readToken)"
        var counts = [0, 0, 0]
        for (path, method, operation) in try Self.operations() where path != "/login" || method == "GET" {
            let schemes = operation["security"]?.elements.flatMap(\.names) ?? []
            let (bare, reading) = try (Self.head(method, path, []), Self.head(method, path, [reader]))
            if schemes.isEmpty {
                counts[0] += 1
                #expect(bare["Content-Type"] != "application/problem+json", "\(method) \(path)")
            } else {
                counts[schemes.contains("readToken") ? 1 : 2] += 1
                #expect(bare.status == 401 && bare["WWW-Authenticate"] == "Bearer", "\(method) \(path)")
                #expect(
                    (reading.status == 403) != schemes.contains("readToken"),
                    "\(method) \(path): \(reading.status)"
                )
            }
        }
        #expect(counts.allSatisfy { $0 > 4 }, "\(counts)")
    }

    @Test("a session may do what the document says, and makes no link (H-163)")
    func sessions() throws {
        var browser = TestBrowser(try Self.admin.get().admin)
        try browser.logIn()
        for (path, method, operation) in try Self.operations() where path != "/logout" {
            let schemes = operation["security"]?.elements.flatMap(\.names) ?? []
            guard !schemes.isEmpty else { continue }
            let answer = try Self.head(method, path, Array(browser.fields.dropFirst()))
            #expect((answer.status == 403) != schemes.contains("sessionProof"), "\(method) \(path): \(answer.status)")
        }
    }
}
