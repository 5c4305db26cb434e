import HTTPCore
import TestSupport
import Testing
import Transforms

@testable import Transformers

@Suite("Substitution by regular expressions")
struct ReplaceTests {
    private func apply(
        _ transformer: ReplaceTransformer,
        _ content: String,
        type: String = "text/plain"
    ) throws -> String? {
        var run = Run()
        var response = head(("Content-Type", type), ("Content-Length", "9"))
        let result = try run.transform(transformer, &response, Array(content.utf8))
        #expect(response.fields.contains(.contentLength) == (result == nil))
        return result.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "each match is replaced, from left to right without overlap, with its groups in the replacement",
        arguments: [
            ("v([0-9]+)", "version $1", "v1, v22", "version 1, version 22"), ("a|b", "[$0]", "xaby", "x[a][b]y"),
            ("(a)|(b)", "$2$1!", "ab", "a!b!"), ("a", "$$1", "a", "$1"), ("x*", "-", "abc", "-a-b-c-"),
            ("x*", "-", "axb", "-a-b-"), ("é*", "_", "éaé", "_a_"), ("", ".", "日本", ".日.本."), ("^a", "b", "aaa", "baa"),
            ("a$", "b", "aaa", "aab"), ("(?i)HELLO", "bye", "Hello hello", "bye bye"),
            ("(?m)^", "> ", "a\nb", "> a\n> b"),
            ("[^ä]", "x", "aäb", "xäx"), ("\\bcat\\b", "dog", "cat concat cat", "dog concat dog"), ("a", "b", "", ""),
            ("z", "b", "abc", "abc"), ("a", "", "banana", "bnn"),
        ]
    )
    func matches(expression: String, replacement: String, content: String, expected: String) throws {
        #expect(try apply(ReplaceTransformer(expression, with: replacement), content) == expected)
    }

    @Test("ignore-case ignores the case of letters")
    func ignoreCase() throws {
        #expect(try apply(ReplaceTransformer("über", with: "x", ignoreCase: true), "Über ÜBER") == "x x")
        #expect(try apply(ReplaceTransformer("a", with: "x"), "Aa") == "Ax")
    }

    @Test("bytes that are no UTF-8 pass unchanged, and content that is no text is left alone")
    func otherContent() throws {
        var run = Run()
        var response = head(("Content-Type", "text/plain"))
        let bytes: [UInt8] = [0xFF, 0x61, 0xC3, 0x61, 0x80]
        #expect(
            try run.transform(ReplaceTransformer("a", with: "b"), &response, bytes) == [0xFF, 0x62, 0xC3, 0x62, 0x80]
        )
        #expect(try apply(ReplaceTransformer("a", with: "b"), "a", type: "image/png") == nil)
    }

    @Test(
        "an expression that is none, and a replacement that names a missing group, are refused with the reason",
        arguments: [
            ("(", "", "`substitute` is no regular expression: missing ): ("),
            ("(?=a)", "", "`substitute` is no regular expression: invalid perl operator: (?="),
            ("\\1", "", "`substitute` is no regular expression: invalid escape sequence: \\1"),
            ("a{1001}", "", "`substitute` is no regular expression: invalid repetition size: {1001}"),
            ("(((a{100}){100}){100})", "", "`substitute` is no regular expression: "),
            ("(a)", "$2", "`with` has $2, but the expression has 1 group in parentheses"),
            ("a", "$1", "`with` has $1, but the expression has 0 groups in parentheses"),
            ("a", "b$", "`with` has a $ without a digit behind it: write $1 for a group, or $$ for a dollar"),
            ("a", "$x", "`with` has a $ without a digit behind it: write $1 for a group, or $$ for a dollar"),
        ]
    )
    func refused(expression: String, replacement: String, message: String) {
        let error = #expect(throws: TransformerOptionError.self) {
            try ReplaceTransformer(expression, with: replacement)
        }
        #expect(error?.userMessage.hasPrefix(message) == true, "\(error?.userMessage ?? "")")
    }

    @Test("an expression that makes other engines backtrack for ever takes time in proportion to the content")
    func linearTime() throws {
        let content = String(repeating: "a", count: 100_000)
        #expect(try apply(ReplaceTransformer("(a*)*b", with: "x"), content + "b") == "x")
        #expect(try apply(ReplaceTransformer("(a|aa)+$", with: "x"), content) == "x")
    }

    @Test("a result above the limit for decoded content is an error")
    func growth() throws {
        var run = Run()
        run.limits.decodedContent = 1000
        var response = head(("Content-Type", "text/plain"))
        let error = #expect(throws: TransformFailure.self) {
            try run.transform(
                ReplaceTransformer("a", with: "0123456789"),
                &response,
                Array(repeating: 0x61, count: 200)
            )
        }
        #expect(error?.reason == .limit)
    }

    @Test("different options have different fingerprints")
    func fingerprints() throws {
        let all = [
            try ReplaceTransformer("a", with: "b").fingerprint, try ReplaceTransformer("a", with: "c").fingerprint,
            try ReplaceTransformer("b", with: "b").fingerprint,
            try ReplaceTransformer("a", with: "b", ignoreCase: true).fingerprint,
            try SubstituteTransformer("a", with: "b").fingerprint,
        ]
        #expect(Set(all).count == all.count)
    }
}
