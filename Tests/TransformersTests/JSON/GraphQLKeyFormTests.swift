import Testing

@testable import Transformers

@Suite("GraphQL requests as a part of the cache key")
struct GraphQLKeyFormTests {
    private func judge(_ content: String, ignoring: [String] = []) throws -> GraphQLKeyForm.Content {
        try GraphQLKeyForm(ignoring: ignoring, depthLimit: 16).judge(Array(content.utf8))
    }

    private func text(_ content: String, ignoring: [String] = []) throws -> String? {
        guard case .query(let text) = try judge(content, ignoring: ignoring) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    @Test(
        "ignored tokens, order of members and members without a value do not count (C-24.7)",
        arguments: [
            #"{"query":"query Q($a:Int){b(c:$a)}","operationName":"Q","variables":{"a":1,"b":{"c":[2],"d":3}}}"#,
            """
            { "variables" : { "b" : { "d":3, "c":[2] }, "a":1 }, "extensions":null,
            "query" : "query Q( $a: Int ) {\\n  b(c: $a), \\u0023 comment\\n}", "operationName" : "\\u0051" }
            """,
        ]
    )
    func canonical(content: String) throws {
        let expected =
            #"{"operationName":"Q","query":"query Q ( $ a : Int ) { b ( c : $ a ) }","#
            + #""variables":{"a":1,"b":{"c":[2],"d":3}}}"#
        #expect(try text(content) == expected)
    }

    @Test(
        "operation name, document, variables, extensions and further members count (C-24.7)",
        arguments: [
            #"{"query":"{a}","operationName":"A"}"#, #"{"query":"{b}"}"#, #"{"query":"{a}","variables":{"x":1}}"#,
            #"{"query":"{a}","variables":{"x":"1"}}"#, #"{"query":"{a}","extensions":{"e":1}}"#,
            #"{"query":"{a}","variables":{"x":null}}"#, #"{"query":"{a}","id":null}"#, #"{"query":"{a(b:\"\")}"}"#,
            "{a}",
        ]
    )
    func different(content: String) throws {
        #expect(try text(content) != nil && text(content) != text(#"{"query":"{a}"}"#))
    }

    @Test("values at ignored paths do not count")
    func ignored() throws {
        let content = #"{"query":"{a}","extensions":{"clientLibrary":{"name":"x"},"e":1}}"#
        let expected = #"{"extensions":{"e":1},"query":"{ a }"}"#
        #expect(try text(content, ignoring: ["$.extensions.clientLibrary"]) == expected)
        #expect(throws: JSONOptionError.self) { try GraphQLKeyForm(ignoring: ["$["]) }
        let names = [try GraphQLKeyForm().name, try GraphQLKeyForm(ignoring: ["$.a"]).name, try JSONKeyForm().name]
        #expect(Set(names).count == 3 && names[0] == "graphql")
    }

    @Test(
        "what is not a query alone is told from it (C-24.7)",
        arguments: [
            (#"{"query":"mutation{a}"}"#, .mutation), (#"{"query":"mutati\u006fn{a}"}"#, .mutation),
            (#"{"query":"query A{a} mutation B{b}","operationName":"A"}"#, .mutation),
            (#"{"query":"subscription{a}"}"#, .subscription),
            (#"{"query":"subscription{a} mutation{b}"}"#, .mutation),
            ("mutation { a }", .mutation), ("subscription { a }", .subscription),
            ("[]", .batch), (#"[{"query":"{a}"},{"query":"query{b}"}]"#, .batch), (#"[{"query":"{a"},1]"#, .batch),
            (#"[{"query":"{a}"},{"query":"mutation{b}"}]"#, .mutation), (#"[{"query":"{a}"},{}]"#, .unknown),
            (#"[{"query":"{a}"},{"query":"subscription{b}"}]"#, .subscription),
            (#"[{},{"query":"mutation{b}"}]"#, .mutation),
            (#"{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}"#, .unknown),
            (#"{"documentId":"x"}"#, .unknown), (#"{"query":null,"id":"x"}"#, .unknown),
        ] as [(String, GraphQLKeyForm.Content)]
    )
    func exceptions(content: String, expected: GraphQLKeyForm.Content) throws {
        #expect(try judge(content) == expected)
    }

    @Test(
        "what is no GraphQL request, or an ambiguous one, cannot be keyed",
        arguments: [
            "", "1", "\"{a}\"", "null", #"{"query":"{a"}"#, #"{"query":""}"#, #"{"query":1}"#, #"{"query":["{a}"]}"#,
            #"{"query":"{a}","query":"mutation{b}"}"#, #"{"query":"fragment F on T{a}"}"#, #"{"query":"{a}""#,
            #"{"query":"{\ud800}"}"#, "query=%7Ba%7D", "{a}\u{0}", #"{"query":"type T{a:Int}"}"#,
            "{\"query\":\"" + String(repeating: "{a", count: 17) + String(repeating: "}", count: 17) + "\"}",
            "{\"query\":\"{a}\",\"variables\":" + String(repeating: "[", count: 17) + String(repeating: "]", count: 17)
                + "}",
            String(repeating: "{", count: 1 << 20), String(repeating: "[", count: 1 << 20),
            "{\"query\":\"" + String(repeating: "{", count: 1 << 20) + "\"}",
        ]
    )
    func invalid(content: String) throws {
        #expect(try judge(content) == .invalid)
    }
}
