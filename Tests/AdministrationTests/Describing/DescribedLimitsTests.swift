import HTTPCore
import JSON
import Testing

@testable import Administration

/// What the document promises of statuses, numbers and rights.
@Suite struct DescribedLimitsTests {
    /// The statuses of operations beside 200 and those that all of their kind have.
    private static let own: [String: [UInt16]] = [
        "getConfiguration": [404], "reload": [404, 422], "getMode": [404], "setMode": [404], "refresh": [502],
        "makeSessionLink": [409], "getShell": [401], "logIn": [401], "getAsset": [304, 404], "listRequests": [404],
        "getRequestArchive": [404], "followRequests": [404], "getRequest": [404], "listResources": [404],
        "getResource": [404], "getContent": [206, 404], "getArchive": [404], "putResource": [404, 415],
        "patchResource": [404, 415], "putResourceByURI": [404, 415], "patchResourceByURI": [404, 415],
    ]

    @Test("each operation has the statuses of its kind, its own ones, and no other, each once")
    func statuses() {
        var named: Set<String> = []
        for operation in RouteDescription.all.flatMap(\.operations) {
            var expected: Set<UInt16> = [200, 400, 403, 414, 421, 431, 503]
            if operation.need != .none { expected.insert(401) }
            if let content = operation.content {
                expected.formUnion([408, 413])
                if case .json = content { expected.insert(415) }
            }
            expected.formUnion(Self.own[operation.name] ?? [])
            #expect(operation.allResponses.map(\.status) == expected.sorted(), "\(operation.name)")
            named.insert(operation.name)
        }
        #expect(named.isSuperset(of: Self.own.keys))
    }

    @Test("what is not JSON is the content of pages, files and streams alone")
    func contents() {
        for operation in RouteDescription.all.flatMap(\.operations) {
            for response in operation.allResponses {
                let types = response.contents.map(\.type)
                switch response.status {
                case 304: #expect(types.isEmpty, "\(operation.name)")
                case 401 where operation.need != .none && operation.method == .get:
                    #expect(types == ["application/problem+json", "text/html"], "\(operation.name)")
                case 401 where operation.name == "getShell": #expect(types == ["text/html"])
                case 400...: #expect(types == ["application/problem+json"], "\(operation.name)")
                default: #expect(!types.isEmpty, "\(operation.name)")
                }
            }
        }
    }

    @Test(
        "an integer has the limits and the default of the manual",
        arguments: [
            (.resourceLimit, 1...1000, 100), (.requestLimit, 1...1000, 100), (.variant, 0...1_000_000, 0),
            (.status, 200...599, 200), (.lifetime, 0...315_360_000, nil), (.earlierRequests, 0...1000, 0),
            (.originLimit, 1...100_000, 1000), (.tunnelLimit, 1...100_000, 1000),
        ] as [(Parameter, ClosedRange<Int>, Int?)]
    )
    func integers(parameter: Parameter, range: ClosedRange<Int>, usual: Int?) {
        #expect(parameter.range == range && parameter.usual == usual)
    }

    @Test("what must be given is the URL of a change and of an explanation, besides parts of paths")
    func required() {
        let parameters = RouteDescription.all.flatMap(\.operations).flatMap(\.parameters)
        let wanted = parameters.filter { $0.isRequired && $0.place == .query }.map(\.name)
        #expect(Set(wanted) == ["uri", "url"] && wanted.count == 3)
        #expect(parameters.filter { $0.place == .path }.allSatisfy { $0.isRequired })
        #expect(parameters.filter { $0.place == .header }.allSatisfy { !$0.isRequired })
        #expect(Set(parameters.filter(\.isRepeatable).map(\.name)) == ["header"])
    }

    /// The largest values of a schema's members, and the least where that is not 0, by path.
    private static func limits(_ schema: Schema, at path: String) -> [String: ClosedRange<Int>] {
        switch schema {
        case .integer(let least?, let most?): return [path: least...most]
        case .list(let element), .nullable(let element): return limits(element, at: path)
        case .either(let choices):
            return choices.reduce(into: [:]) { $0.merge(limits($1, at: path)) { one, _ in one } }
        case .object(let members), .exactObject(let members):
            return members.reduce(into: [:]) { found, member in
                found.merge(limits(member.schema, at: "\(path).\(member.name)")) { one, _ in one }
            }
        default: return [:]
        }
    }

    @Test("a status is from 100 to 599; 0 where nothing was sent, and from 400 in a problem")
    func bounds() {
        let found = NamedSchema.used.reduce(into: [String: ClosedRange<Int>]()) { found, named in
            found.merge(Self.limits(named.schema, at: named.name)) { one, _ in one }
        }
        for (path, range) in found where path.hasSuffix(".status") {
            switch path {
            case "Problem.status": #expect(range == 400...599)
            case "ResourceError.status": #expect(range == 0...599)
            case _ where path.contains("Request"): #expect(range == 0...599, "\(path)")
            default: #expect(range == 100...599, "\(path)")
            }
        }
        #expect(found.keys.contains("Variant.status") && found.keys.contains("Replaced.status"))
        let others = found.filter { !$0.key.hasSuffix(".status") }
        #expect(others == ["RefreshTarget.ifOlderThan": 0...31_536_000])
    }

    private static func read(_ text: String) throws -> JSONValue { try JSONReader.parse(Array(text.utf8)) }

    @Test("the document names its version, its server, the two tokens, and both halves of a session")
    func schemes() throws {
        let admin = try TestAdmin()
        let document = try admin.json("/v1/openapi.json")
        #expect(document["openapi"]?.text == "3.1.0")
        #expect(document["info"]?["title"]?.text == "Respite" && document["info"]?["version"]?.text == "1.2.3")
        #expect(document["info"]?["description"]?.text?.contains("RFC 9457") == true)
        #expect(try document["servers"] == Self.read(#"[{"url":"/"}]"#))
        let bearer = #""type":"http","scheme":"bearer","description":"#
        let key = #""type":"apiKey","in":"#
        let expected = """
            {"adminToken":{\(bearer)"The token in the file `admin-token` of the store, or of `admin-token-file`."},\
            "readToken":{\(bearer)"The token of `admin-read-token-file`: it shows neither content nor settings."},\
            "sessionCookie":{\(key)"cookie","name":"respite-\(admin.port)",\
            "description":"The cookie of a session; its name has the port."},\
            "sessionProof":{\(key)"header","name":"Respite-Session",\
            "description":"The proof of the same session, from a page of ours alone."}}
            """
        #expect(try document["components"]?["securitySchemes"] == Self.read(expected))
    }

    @Test("an operation names who may use it; making a link is for the admin token alone")
    func rights() throws {
        let document = try TestAdmin().json("/v1/openapi.json")
        let session = #"{"sessionCookie":[],"sessionProof":[]}"#
        for (path, method, expected) in [
            ("/healthz", "get", "[]"), ("/v1/status", "get", #"[{"adminToken":[]},{"readToken":[]},\#(session)]"#),
            ("/v1/purge", "post", #"[{"adminToken":[]},\#(session)]"#),
            ("/v1/sessions", "post", #"[{"adminToken":[]}]"#),
        ] {
            let operation = document["paths"]?[path]?[method]
            #expect(try operation?["security"] == Self.read(expected), "\(path)")
            #expect(operation?["operationId"]?.text?.isEmpty == false)
        }
    }

    @Test("the index names the right that each operation needs")
    func needs() throws {
        let routes = try TestAdmin().json("/v1")["routes"]?.elements ?? []
        let needs = Dictionary(
            routes.compactMap { one in one["operation"]?.text.map { ($0, one["needs"]?.text) } }
        ) { one, _ in one }
        #expect(needs["getHealth"] == "nothing" && needs["getStatus"] == "reading" && needs["purge"] == "everything")
    }
}
