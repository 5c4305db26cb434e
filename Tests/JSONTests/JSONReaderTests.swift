import JSON
import Testing

private func refusal(_ text: String) -> JSONError? {
    do {
        _ = try JSONReader.parse(Array(text.utf8))
        return nil
    } catch {
        return error
    }
}

@Suite struct JSONReaderTests {
    @Test("values of all kinds are read")
    func kinds() throws {
        let value = try JSONReader.parse(Array(#"{"a":[1,2.5,true,null,"ä\u00e4"],"b":{}}"#.utf8))
        #expect(value["a"] == .array([.integer(1), .real(2.5), .boolean(true), .null, .text("ää")]))
        #expect(value["b"] == .object([]))
        #expect(value["c"] == nil)
    }

    @Test(
        "duplicates, NaN, lone surrogates, NUL, numbers out of range and rests are refused (H-146)",
        arguments: [
            (#"{"a":1,"a":2}"#, "twice"), (#"{"a":NaN}"#, "not JSON"), (#""\ud800""#, "not JSON"),
            (#""\u0000""#, "NUL"), ("99999999999999999999", "out of range"), ("1e999", "out of range"),
            ("1 2", "behind"),
            ("[1", "early"), ("", "early"), ("[" + String(repeating: "[", count: 5000), "deep"),
            ("{'a':1}", "not JSON"),
        ]
    )
    func refusals(text: String, reason: String) throws {
        let error = try #require(refusal(text))
        #expect(error.userMessage.contains(reason), "\(error)")
    }

    @Test("each fault has a sentence of its own, and its line")
    func sentences() throws {
        let faults: [(text: [UInt8], sentence: String)] = [
            (Array("[1".utf8), "ends too early"), (Array("1 2".utf8), "goes on behind its value"),
            ([0x22, 0xFF, 0x22], "is not UTF-8"), (Array(#"{"a":1,"a":2}"#.utf8), "has an object with a name twice"),
            (Array("99999999999999999999".utf8), "has a number out of range"),
            (Array(#""\u0000""#.utf8), "has a NUL in text"), (Array(#"{"\u0000":1}"#.utf8), "has a NUL in text"),
            (Array("{'a':1}".utf8), "is not JSON"), ([UInt8](repeating: 0x5B, count: 5000), "is nested too deeply"),
        ]
        for (text, sentence) in faults {
            let error = #expect(throws: JSONError.self) { try JSONReader.parse(text) }
            #expect(error?.userMessage == sentence, "\(sentence)")
            #expect(error?.path.hasPrefix("line 1, column ") == true, "\(sentence)")
        }
        #expect(throws: JSONError(path: "$", userMessage: "has more than 10 bytes")) {
            try JSONReader.parse([UInt8](repeating: 0x20, count: 11), sizeLimit: 10)
        }
    }

    @Test("size and depth are bounded (H-146)")
    func bounds() throws {
        let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(refusal(nested(64)) == nil)
        #expect(refusal(nested(65))?.userMessage == "is nested too deeply")
        #expect(throws: JSONError.self) { try JSONReader.parse([UInt8](repeating: 0x20, count: 11), sizeLimit: 10) }
        let mebibyte = String(repeating: " ", count: 1 << 20)
        #expect(refusal("1" + mebibyte.dropLast()) == nil)
        #expect(refusal("1" + mebibyte)?.userMessage == "has more than 1048576 bytes")
        #expect(throws: JSONError.self) { try JSONReader.parse([0x22, 0xFF, 0x22]) }
    }

    @Test("wrong types and unknown names are told with their path (H-146)")
    func paths() throws {
        let root = JSONCursor(try JSONReader.parse(Array(#"{"items":[{"url":1}],"extra":{}}"#.utf8)))
        let item = try root.requiredMember("items").elements()[0]
        #expect(throws: JSONError(path: "$.items[0].url", userMessage: "must be text, not a whole number")) {
            try item.requiredMember("url").text()
        }
        #expect(throws: JSONError(path: "$.items[0].name", userMessage: "is missing")) {
            try item.requiredMember("name")
        }
        #expect(throws: JSONError(path: "$.extra", userMessage: "is unknown")) {
            try root.requireObject(members: ["items"])
        }
    }
}
