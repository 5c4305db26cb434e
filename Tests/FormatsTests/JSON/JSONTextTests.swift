import Testing

@testable import Formats

/// Swift values as JSON text.
@Suite("JSON text of values") struct JSONTextTests {
    private static func text(_ value: any Sendable) -> String? {
        JSONText.bytes(of: value).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("values of all kinds have a text, with members sorted by name and only the escapes that must be")
    func values() {
        let value: [String: any Sendable] = [
            "b": [1, -2.5, true, false, JSONNull()] as [any Sendable], "a": "x\"\\\n\u{1F}\u{7F}ä\u{2028}",
            "c": Float(0.1),
            "d": [String: any Sendable](), "e": [any Sendable](), "f": UInt8(200), "g": "Substring".dropFirst(3),
            "B": Int64.min,
        ]
        let expected =
            #"{"B":-9223372036854775808,"a":"x\"\\\u000a\u001f"# + "\u{7F}ä\u{2028}"
            + #"","b":[1,-2.5,true,false,null],"c":0.1,"d":{},"e":[],"f":200,"g":"string"}"#
        #expect(Self.text(value) == expected)
    }

    @Test("a value without a text has none, wherever it stands")
    func none() {
        for value in [Double.nan, Double.infinity, Float.nan, Character("a")] as [any Sendable] {
            let values: [any Sendable] = [value, [1, value] as [any Sendable], ["a": value] as [String: any Sendable]]
            for each in values { #expect(Self.text(each) == nil) }
        }
    }

    @Test("values are nested up to 512 deep in both directions")
    func depth() throws {
        func nested(_ depth: Int, _ wrap: (any Sendable) -> any Sendable) -> any Sendable {
            var value: any Sendable = 1
            for _ in 0..<depth { value = wrap(value) }
            return value
        }
        let wraps: [(any Sendable) -> any Sendable] = [
            { [$0] as [any Sendable] }, { ["a": $0] as [String: any Sendable] },
        ]
        for wrap in wraps {
            let bytes = try #require(JSONText.bytes(of: nested(512, wrap)))
            #expect(JSONText.bytes(of: nested(513, wrap)) == nil)
            #expect(JSONText.value(of: bytes) != nil)
            #expect(JSONText.value(of: [0x5B] + bytes + [0x5D]) == nil)
        }
    }

    @Test("literals are read as what they are")
    func literals() {
        let value = JSONText.value(of: Array("[true,false,null]".utf8)) as? [any Sendable]
        #expect(value?.count == 3 && value?[0] as? Bool == true && value?[1] as? Bool == false && value?[2] is JSONNull)
        #expect(JSONText.value(of: Array("[true".utf8)) == nil)
        #expect("\(JSONNull())" == "null")
    }

    @Test(
        "pairs of surrogates are one character, and each half alone is U+FFFD",
        arguments: [
            (#""\ud835\udc01""#, "\u{1D401}"), (#""\ud801""#, "\u{FFFD}"), (#""\udc01""#, "\u{FFFD}"),
            (#""\udbff\udfff""#, "\u{10FFFF}"), (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"),
            (#""\ud801\u0041""#, "\u{FFFD}A"), (#""\ud801\n""#, "\u{FFFD}\n"),
        ]
    )
    func surrogates(text: String, expected: String) {
        #expect(JSONText.value(of: Array(text.utf8)) as? String == expected)
    }

    @Test("all kinds of members have a comma before them except the first")
    func members() {
        var writer = JSONWriter(appendingTo: Array("> ".utf8))
        writer.object { writer in
            writer.member("a", bytes: [0x78, 0xFF])
            writer.member("b", Int64(-3))
            writer.member("c", false)
            writer.member("d", 2.5)
            writer.memberArray("e") { $0.integer(4) }
        }
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text == "> {\"a\":\"x\u{FFFD}\",\"b\":-3,\"c\":false,\"d\":2.5,\"e\":[4]}")
    }
}
