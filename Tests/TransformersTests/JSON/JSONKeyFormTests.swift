import Testing

@testable import Transformers

@Suite("JSON as a part of the cache key")
struct JSONKeyFormTests {
    private func text(_ json: String, ignoring: [String] = [], only: [String] = []) throws -> String? {
        try JSONKeyForm(ignoring: ignoring, only: only).text(of: Array(json.utf8)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test(
        "order of members, white space and escapes do not count (C-24.7)",
        arguments: [
            #"{"a":1,"b":[true,null,"x"],"c":{"d":-2.50e+1}}"#,
            #" { "c" : {"d":-2.50e+1} , "b" : [ true , null , "\u0078" ] , "\u0061" : 1 } "#,
            "\u{FEFF}{\"b\":[true,null,\"x\"],\n\"a\":1,\r\n\t\"c\":{\"d\":-2.50e+1}}",
        ]
    )
    func canonical(json: String) throws {
        #expect(try text(json) == #"{"a":1,"b":[true,null,"x"],"c":{"d":-2.50e+1}}"#)
    }

    @Test(
        "what may mean something else stays different (C-24.7)",
        arguments: [
            ("[1,2]", "[2,1]"), ("1", "1.0"), ("1", "\"1\""), ("{}", "[]"), ("[]", "[null]"), ("{\"a\":null}", "{}"),
            ("\"\\u00e4\"", "\"a\\u0308\""), ("\"a\\\"\"", "\"a\\\\\""), ("{\"a\":{\"b\":1}}", "{\"a\":1,\"b\":1}"),
            ("\"\\ud800\"", "\"\\ufffd\""), ("[\"a\",\"b\"]", "[\"a\\\",\\\"b\"]"),
            // Readers differ in which member of one name they use.
            ("{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}"), ("{\"a\":1,\"a\":2}", "{\"a\":2}"),
        ]
    )
    func different(one: String, other: String) throws {
        let (first, second) = (try #require(try text(one)), try #require(try text(other)))
        // As bytes: Swift takes composed and decomposed letters for equal.
        #expect(Array(first.utf8) != Array(second.utf8))
    }

    @Test("control characters stay escaped, and no other character is (C-24.7)")
    func escapes() throws {
        #expect(try text(#"["\u0000\u001f\u0020\u007f\n"]"#) == "[\"\\u0000\\u001f \u{7F}\\u000a\"]")
    }

    @Test("values at ignored paths do not count, wherever they are (C-24.7)")
    func ignored() throws {
        let paths = ["$.user", "/meta/id", "$..trace"]
        let json = #"{"user":"u","q":1,"meta":{"id":7,"n":2,"trace":[]},"list":[{"trace":1},2]}"#
        #expect(try text(json, ignoring: paths) == #"{"list":[{},2],"meta":{"n":2},"q":1}"#)
        #expect(try text(#"{"q":1}"#, ignoring: paths) == #"{"q":1}"#)
        // Both members of one name are ignored.
        #expect(try text(#"{"user":1,"user":2}"#, ignoring: paths) == "{}")
        // An element keeps its place.
        #expect(try text("[1,2,3]", ignoring: ["$[1]"]) == "[1,_,3]")
        #expect(try text("[1,2,3]", ignoring: ["$"]) == "_")
    }

    @Test("only the values at some paths count, with the containers that lead to them (C-24.7)")
    func only() throws {
        let paths = ["$.model", "$.messages[*].content"]
        let json = #"{"n":1,"model":"m","messages":[{"role":"r"},{"content":{"b":1,"a":2},"role":"s"}]}"#
        #expect(try text(json, only: paths) == #"{"messages":[_,{"content":{"a":2,"b":1}}],"model":"m"}"#)
        #expect(try text(#"{"n":1}"#, only: paths) == "_")
        #expect(try text(json, ignoring: ["$..a"], only: paths) == #"{"messages":[_,{"content":{"b":1}}],"model":"m"}"#)
        #expect(try text("[0,1]", only: [""]) == "[0,1]")
    }

    @Test(
        "content that is no JSON, too deep or ambiguous has no text",
        arguments: ["", "{", "{\"a\":1}x", "nul", "{a:1}", "[1,]", "\"\u{1}\"", String(repeating: "[", count: 129)]
    )
    func unreadable(json: String) throws {
        #expect(try text(json) == nil)
        #expect(try text("{\"a\":[{\"b\":1,\"b\":2}]}", ignoring: ["$.a[?@.b == 1]"]) == nil)
    }

    @Test("a faulty path is told with its place")
    func faults() {
        #expect(throws: JSONOptionError.self) { try JSONKeyForm(ignoring: ["$.a", "$["]) }
        do {
            _ = try JSONKeyForm(only: ["$.a", "$["])
        } catch {
            #expect(error.pathIndex == 1 && error.column != nil)
        }
    }

    @Test("forms with other paths have other names")
    func names() throws {
        let names = [
            try JSONKeyForm().name, try JSONKeyForm(ignoring: ["$.a"]).name, try JSONKeyForm(only: ["$.a"]).name,
            try JSONKeyForm(ignoring: ["$.a", "$.b"]).name, try JSONKeyForm(ignoring: ["$.a"], only: ["$.b"]).name,
        ]
        #expect(Set(names).count == names.count && names[0] == "json")
    }
}
