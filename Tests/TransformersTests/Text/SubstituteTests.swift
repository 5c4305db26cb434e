import HTTPCore
import Transforms
import TestSupport
import Testing

@testable import Transformers

@Suite("Text substitution")
struct SubstituteTests {
    private func apply(
        _ transformer: SubstituteTransformer,
        _ content: String,
        _ run: Run = Run(),
        type: String = "text/plain"
    ) throws -> String? {
        var run = run
        var response = head(("Content-Type", type), ("Content-Length", "9"))
        let result = try run.transform(transformer, &response, Array(content.utf8))
        #expect(response.fields.contains(.contentLength) == (result == nil))
        return result.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "each match is replaced, from left to right without overlap, wherever the content is split",
        arguments: [
            ("b", "X", "abcb", "aXcX"), ("aa", "b", "aaaaa", "bba"), ("aab", "X", "aaaab", "aaX"),
            ("a", "", "banana", "bnn"),
            ("abcabd", "!", "abcabcabd abcab", "abc! abcab"), ("x", "xx", "xox", "xxoxx"),
            ("é", "e", "café é", "cafe e"),
            ("abab", "-", "abababab", "--"), ("long text", "s", "long tex", "long tex"), ("a", "b", "", ""),
            ("aaab", "c", "aaaaaaaab", "aaaaac"), ("abacabad", "Y", "abacabacabad", "abacY"),
        ]
    )
    func matches(text: String, replacement: String, content: String, expected: String) throws {
        let transformer = try SubstituteTransformer(text, with: replacement)
        #expect(try apply(transformer, content) == expected)
        for piece in 1...max(1, content.utf8.count) {
            for room in [1, 2, 1_000] {
                #expect(try apply(transformer, content, Run(piece: piece, room: room)) == expected)
            }
        }
    }

    @Test("`ignore-case` applies to ASCII letters; all other text keeps its case")
    func ignoreCase() throws {
        let transformer = try SubstituteTransformer("AbcÉ", with: "x", ignoreCase: true)
        for piece in 1...20 {
            #expect(try apply(transformer, "aBCÉ ABcé AbCÉ abC", Run(piece: piece)) == "x ABcé x abC")
        }
    }

    @Test("long content gives the same result however it is split")
    func random() throws {
        var random = FixedRandom(seed: 5)
        for _ in 0..<60 {
            let content = String((0..<200).map { _ in random.next() % 2 == 0 ? "a" : "b" })
            let text = String((0..<(1 + random.next() % 6)).map { _ in random.next() % 2 == 0 ? "a" : "b" })
            let expected = reference(content, text, "<>")
            let run = Run(piece: 1 + Int(random.next() % 30), room: 1 + Int(random.next() % 40))
            #expect(try apply(SubstituteTransformer(text, with: "<>"), content, run) == expected)
        }
    }

    private func reference(_ content: String, _ text: String, _ replacement: String) -> String {
        var result = ""
        var rest = content[...]
        while let first = rest.first {
            if rest.hasPrefix(text) {
                result += replacement
                rest = rest.dropFirst(text.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    @Test("output per call is bounded, however long the replacement is")
    func bounded() throws {
        var run = Run(piece: 65_536, room: 10_000)
        var response = head(("Content-Type", "text/plain"))
        let transformer = try SubstituteTransformer("a", with: String(repeating: "x", count: 16_384))
        let result = try #require(try run.transform(transformer, &response, [UInt8](repeating: 0x61, count: 100)))
        #expect(result.count == 1_638_400)
        #expect(run.largestCall <= 10_000 + 16_384)
    }

    @Test("text that nearly matches many times is searched in linear time")
    func linear() throws {
        // 4,000 times 8,000 steps would take minutes here.
        let transformer = try SubstituteTransformer(String(repeating: "a", count: 8_000) + "b", with: "")
        let content = String(repeating: "a", count: 300_000)
        #expect(try apply(transformer, content, Run(piece: 1_000)) == content)
    }

    @Test("only text is searched", arguments: ["image/png", "application/octet-stream", "nonsense"])
    func types(type: String) throws {
        #expect(try apply(SubstituteTransformer("a", with: "b"), "a", type: type) == nil)
    }

    @Test(
        "text, JSON, XML and JavaScript are searched",
        arguments: ["text/css", "application/problem+json", "image/svg+xml"]
    )
    func textTypes(type: String) throws {
        #expect(try apply(SubstituteTransformer("a", with: "b"), "a", type: type) == "b")
    }

    @Test("empty and too long texts are rejected; the fingerprint covers all options")
    func options() throws {
        let long = String(repeating: "x", count: 16_385)
        #expect(throws: TransformerOptionError.self) { try SubstituteTransformer("", with: "") }
        #expect(throws: TransformerOptionError.self) { try SubstituteTransformer(long, with: "") }
        #expect(throws: TransformerOptionError.self) { try SubstituteTransformer("a", with: long) }
        let prints = [
            try SubstituteTransformer("a", with: "b").fingerprint,
            try SubstituteTransformer("a", with: "b", ignoreCase: true).fingerprint,
            try SubstituteTransformer("a:b", with: "").fingerprint,
            try SubstituteTransformer("a", with: "b:").fingerprint,
        ]
        #expect(Set(prints).count == prints.count)
        #expect(try SubstituteTransformer("a", with: "b").needsDecodedContent)
    }
}
