import Transforms
import Testing

@testable import Transformers

@Suite("JSON document")
struct JSONDocumentTests {
    @Test(
        "every JSON text has a table with one entry for each value",
        arguments: [
            ("0", 1), ("-1.5e-10", 1), (#""a\"\\\/\b\f\n\r\t\u00e4""#, 1), ("true", 1), ("null", 1), (" \t\r\n[ ] ", 1),
            ("{}", 1),
            ("[1,2]", 3), (#"{"a":{"b":[{}]}}"#, 4), (#""\uDC00\uD800""#, 1), (#"{"a":1,"a":2}"#, 3),
            ("\u{FEFF}[1]", 2),
            ("[[[[]]]]", 4),
        ]
    )
    func everyText(text: String, count: Int) throws {
        #expect(try Sample(text).document.nodes.count == count)
    }

    @Test("invalid JSON and too deep nesting fail for different reasons")
    func reasons() {
        let transformer = ValidateTransformer()
        #expect(transformer.failure("[1,]")?.reason == .invalidContent)
        #expect(transformer.failure("[1,")?.reason == .invalidContent)
        #expect(transformer.failure(Array(repeating: 0x5B, count: 100_000))?.reason == .limit)
    }

    @Test("an error says what is expected and quotes nothing of the content")
    func messages() {
        let transformer = ValidateTransformer()
        #expect(
            transformer.failure("{\"secret\" \"hunter2\"}")?.userMessage
                == "the content is not JSON: line 1, column 11 should be a colon"
        )
        #expect(
            transformer.failure("[\n\"secret\"")?.userMessage
                == "the content is not JSON: it ends at line 2, column 9 without a comma or `]`"
        )
    }

    @Test("the table has text, kind, children and end of each value")
    func table() throws {
        let sample = try Sample(" {\"a\" : [1, {\"b\":\"x\"} , null], \"c\":{}} ")
        let document = sample.document
        #expect(document.nodes.count == 7)
        #expect((0..<7).map { document.next(of: $0) } == [7, 6, 3, 5, 5, 6, 7])
        #expect((0..<7).map { document.nodes[$0].count } == [2, 3, 0, 1, 0, 0, 0])
        #expect(sample.text(1) == "[1, {\"b\":\"x\"} , null]")
        #expect(sample.text(3) == "{\"b\":\"x\"}")
        #expect(document.hasName(1, Array("a".utf8)) && !document.hasName(2, Array("a".utf8)))
        #expect(document.position(of: 4) == "line 1, column 18")
    }

    @Test("names and strings are compared with their escapes decoded")
    func escapes() throws {
        let sample = try Sample(#"{"\u0061\/\u00e4\uD834\uDD1E":"\"\\","b":"\uD834x","\"":1}"#)
        #expect(sample.document.hasName(1, Array("a/ä𝄞".utf8)))
        #expect(!sample.document.hasName(1, Array("a/ä𝄞x".utf8)))
        #expect(!sample.document.hasName(1, Array("a/ä".utf8)))
        #expect(!sample.document.hasName(1, []) && !sample.document.hasName(0, []))
        #expect(sample.string(1) == "\"\\")
        #expect(sample.document.string(of: 2) == [0xED, 0xA0, 0xB4, 0x78])
        #expect(sample.document.hasName(3, Array("\"".utf8)))
        #expect(!sample.document.hasName(2, Array("b\"".utf8)))
    }
}
