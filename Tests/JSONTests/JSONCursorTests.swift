import Formats
import JSON
import Testing

/// Values with their paths, and what they are.
@Suite("JSON values with paths") struct JSONCursorTests {
    private static func cursor(_ text: String) throws -> JSONCursor {
        JSONCursor(try JSONReader.parse(Array(text.utf8)))
    }

    private static func error(_ body: () throws(JSONError) -> Void) -> String? {
        do { try body() } catch { return "\(error)" }
        return nil
    }

    @Test("a value of another kind is told with both kinds")
    func kinds() throws {
        let kinds = [
            ("null", "null"), ("true", "true or false"), ("1", "a whole number"), ("1.5", "a number with a fraction"),
            ("\"a\"", "text"), ("[]", "an array"), ("{}", "an object"),
        ]
        for (text, kind) in kinds {
            let cursor = try Self.cursor(text)
            #expect(cursor.value.kindName == kind)
            let refusals = [
                Self.error { () throws(JSONError) in _ = try cursor.text() },
                Self.error { () throws(JSONError) in _ = try cursor.boolean() },
                Self.error { () throws(JSONError) in _ = try cursor.integer() },
                Self.error { () throws(JSONError) in _ = try cursor.elements() },
                Self.error { () throws(JSONError) in try cursor.requireObject(members: []) },
            ]
            let wanted = ["text", "true or false", "a whole number", "an array", "an object"]
            let expected: [String?] = wanted.map { $0 == kind ? nil : "$: must be \($0), not \(kind)" }
            #expect(refusals == expected)
        }
    }

    @Test("a whole number has bounds, both included", arguments: [(0, false), (1, true), (9, true), (10, false)])
    func bounds(number: Int64, isRight: Bool) {
        let cursor = JSONCursor(.integer(number), path: "$.a")
        let error = Self.error { () throws(JSONError) in
            let read = try cursor.integer(in: 1...9)
            #expect(read == number)
        }
        #expect(error == (isRight ? nil : "$.a: must be a whole number from 1 to 9, not a whole number"))
    }

    @Test("an unknown member is told, with the name that may have been meant")
    func unknown() throws {
        let cursor = try Self.cursor(#"{"nmae":1}"#)
        let error = Self.error { () throws(JSONError) in try cursor.requireObject(members: ["value", "name"]) }
        #expect(error == "$.nmae: is unknown; did you mean \"name\"?")
        #expect(Self.error { () throws(JSONError) in try cursor.requireObject(members: ["nmae"]) } == nil)
        #expect(cursor.error("is odd") == JSONError(path: "$", userMessage: "is odd"))
    }

    @Test(
        "only plain names of up to 64 bytes stand in paths",
        arguments: [
            ("a", true), ("!~", true), (String(repeating: "a", count: 64), true), ("", false), ("a b", false),
            (String(repeating: "a", count: 65), false), ("a\u{7F}", false), ("a\"", false), ("ä", false), ("\n", false),
        ]
    )
    func names(name: String, isPlain: Bool) {
        let cursor = JSONCursor(.object([]), path: "$.items[2]")
        let error = Self.error { () throws(JSONError) in _ = try cursor.requiredMember(name) }
        #expect(error == "$.items[2].\(isPlain ? name : "…"): is missing")
        #expect(cursor.member(name) == nil)
    }

    @Test("a value is what it is, and nothing of another kind")
    func values() throws {
        let value = try JSONReader.parse(Array(#"{"a":"x","b":2,"c":2.5,"d":true,"e":false,"f":[1]}"#.utf8))
        #expect(value["a"]?.text == "x" && value["a"]?.integer == nil && value["a"]?.number == nil)
        #expect(value["b"]?.integer == 2 && value["b"]?.number == 2 && value["b"]?.text == nil)
        #expect(value["c"]?.number == 2.5 && value["c"]?.integer == nil)
        #expect(value["d"]?.isTrue == true && value["e"]?.isTrue == false && value["b"]?.isTrue == false)
        #expect(value["f"]?.elements == [.integer(1)] && value["a"]?.elements == [])
        #expect(JSONValue.text("a")["a"] == nil)
    }

    @Test("objects are nested as deep as the limit says and no deeper, as arrays are (H-146)")
    func depth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)).utf8)
        }
        #expect(throws: Never.self) { try JSONReader.parse(nested(64)) }
        #expect(throws: JSONError(path: "$", userMessage: "is nested too deeply")) { try JSONReader.parse(nested(65)) }
        #expect(throws: Never.self) { try JSONReader.parse(nested(2), depthLimit: 2) }
        #expect(throws: JSONError.self) { try JSONReader.parse(nested(3), depthLimit: 2) }
        #expect(throws: Never.self) { try JSONReader.parse(nested(0), sizeLimit: 1, depthLimit: 0) }
    }

    @Test("what was read is written as it was")
    func written() throws {
        let text = #"{"b":[null,true,false,-1,2.5,"x\"",[],{}],"a":{"c":1}}"#
        var writer = JSONWriter()
        writer.value(try JSONReader.parse(Array(text.utf8)))
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test("a text that is not JSON is refused with line and column, and without quoting it")
    func faults() {
        let error = Self.error { () throws(JSONError) in _ = try JSONReader.parse(Array("[1,\n x]".utf8)) }
        #expect(error?.hasPrefix("line 2, column ") == true && error?.hasSuffix(": is not JSON") == true)
    }
}
