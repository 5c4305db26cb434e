import HTTPCore
import Settings
import Testing

@testable import Cassettes

/// Where credentials stand, and which responses are alike.
struct CredentialPlacesTests {
    @Test("each place of a credential is told by itself", arguments: 0..<6)
    func places(number: Int) throws {
        var entry = CassetteEntry.sample("POST", "http://a.example/")
        let places = [
            "the URL", "Authorization of the request", "the content of the request", "Cookie of the response",
            "Cookie of the trailers", "the content of the response",
        ]
        let json = Array(#"{"password":"p"}"#.utf8)
        switch number {
        case 0: entry.request.url = "http://a.example/?api_key=1"
        case 1: entry.request.fields.append(CassetteField("Authorization", "x"))
        case 2: entry.request.content = json
        case 3: entry.response.fields.append(CassetteField("Cookie", "x"))
        case 4: entry.response.trailers.append(CassetteField("Cookie", "x"))
        default: entry.response.content = json
        }
        let found = try Cassette(entries: [entry, .sample()]).credentials()
        #expect(found.map(\.userMessage) == ["a credential stands in \(places[number])"])
    }

    @Test(
        "responses are alike if all but their dates is; then the later one is pruned",
        arguments: [
            (.init(status: 200), true), (.init(status: 201), false), (.init(status: 200, content: [1]), false),
            (.init(status: 200, fields: [CassetteField("X-A", "1")]), false),
            (.init(status: 200, trailers: [CassetteField("X-A", "1")]), false),
            (.init(status: 200, fields: ["Age", "DATE", "expires"].map { CassetteField($0, "1") }), true),
        ] as [(CassetteResponse, Bool)]
    )
    func alike(response: CassetteResponse, isPruned: Bool) {
        var entries = [CassetteEntry.sample("GET"), .sample("GET"), .sample("GET", "http://b.example/")]
        entries[0].response = CassetteResponse(status: 200)
        entries[1].response = response
        entries[2].response = response
        let pruned = Cassette(entries: entries, scrubbing: ScrubbingRules(fields: ["x"])).pruned
        #expect(pruned.entries == (isPruned ? [entries[0], entries[2]] : entries) && pruned.scrubbing.fields == ["x"])
    }

    @Test("rules are those of both, each once; names that mean other things in JSON are no members")
    func union() {
        let one = ScrubbingRules(fields: ["b", "a"], parameters: ["token", "key"], paths: ["$.b", "$.a"])
        let both = one.union(ScrubbingRules(fields: ["a", "c"], parameters: ["key", "auth"], paths: ["$.a", "$.c"]))
        #expect(both.fields == ["a", "b", "c"] && both.parameters == ["auth", "key", "token"])
        #expect(both.paths == ["$.b", "$.a", "$.c"] && both.memberNames == ["key"])
    }

    @Test("four names of parameters mean something else in JSON; names that only begin like them do not")
    func ambiguous() {
        let rules = ScrubbingRules(parameters: ["auth", "code", "sig", "signature", "signed", "token", "tokens"])
        #expect(rules.memberNames == ["code", "signed", "tokens"])
    }

    @Test("the rules of settings are credential fields, fields of services and secret parameters, each once")
    func settings() throws {
        var settings = DaemonSettings()
        settings.cache.credentialFields = ["X-Key", "x-key"]
        settings.log.secretParameters = ["Token", "code", "token"]
        var rule = RuleSettings()
        rule.match = "http://a.example/**"
        rule.scrub = ["$.a", "$.b"]
        settings.rules = [rule, rule]
        let headers = [ServiceField(name: "Api-Key", value: .text("1"))]
        settings.services = [
            ServiceSettings(name: "a", base: try TargetURI(parsing: "http://a.example/"), headers: headers)
        ]
        let rules = ScrubbingRules(settings, paths: ["$.b", "$.c"])
        #expect(rules.fields == ["api-key", "x-key"] && rules.parameters == ["code", "token"])
        #expect(rules.paths == ["$.b", "$.c", "$.a"])
    }
}
