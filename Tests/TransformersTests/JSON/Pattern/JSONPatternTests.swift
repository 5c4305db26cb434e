import Transforms
import Testing

@testable import Transformers

@Suite("JSON patterns")
struct JSONPatternTests {
    private static func matches(_ pattern: String, _ text: String, isWhole: Bool = true) throws -> Bool {
        var meter = WorkMeter(TransformBudget())
        return try IRegexp(Array(pattern.utf8)).matches(Array(text.utf8), isWhole: isWhole, meter: &meter)
    }

    @Test(
        "a pattern matches all of these texts (RFC 9485)",
        arguments: [
            ("", [""]), ("a", ["a"]), ("a|b|", ["a", "b", ""]), ("(ab)*c+d?", ["c", "ababccd"]), ("a{2}", ["aa"]),
            ("a{2,}", ["aa", "aaaa"]),
            ("a{1,3}", ["a", "aa", "aaa"]), ("a{0}b", ["b"]), (".", ["x", "ä", "𝄞", "\u{2028}"]),
            ("[a-c-]", ["a", "b", "c", "-"]),
            ("[-a]", ["-", "a"]), ("[^a-c]", ["d", "𝄞", "\n"]),
            ("[\\n\\r\\t\\]\\[\\\\^]", ["\n", "\r", "\t", "]", "[", "\\", "^"]),
            ("\\(\\)\\*\\+\\-\\.\\?\\[\\\\\\]\\^\\{\\|\\}", ["()*+-.?[\\]^{|}"]), ("\\p{L}+", ["aÄß文"]),
            ("\\p{Lu}\\P{Lu}", ["Äa", "A1"]),
            ("[\\p{Nd}x]+", ["1x٣"]), ("[^\\p{L}]", ["1", " "]), ("\\p{Zs}", [" ", "\u{A0}"]), ("\\p{Sc}", ["€", "$"]),
            ("\\p{Co}", ["\u{E000}"]),
            ("(a*)*", ["", "aaa"]), ("(a|b|)*c", ["c", "abbac"]), ("(){1000}", [""]), ("^a$", ["a"]),
            ("a[$^]", ["a$", "a^"]),
        ] as [(String, [String])]
    )
    func matching(pattern: String, texts: [String]) throws {
        for text in texts { #expect(try Self.matches(pattern, text), "\(text)") }
    }

    @Test(
        "a pattern matches none of these texts",
        arguments: [
            ("", ["a"]), ("a", ["", "aa", "b"]), ("a{2}", ["a", "aaa"]), ("a{1,3}", ["", "aaaa"]),
            (".", ["\n", "\r", "", "ab"]),
            ("[^a]", ["a", ""]), ("\\p{Lu}", ["a", "1"]), ("[^\\p{L}\\p{N}]", ["a", "1"]), ("a^b", ["ab", "a^b"]),
            ("a$b", ["ab"]),
        ] as [(String, [String])]
    )
    func notMatching(pattern: String, texts: [String]) throws {
        for text in texts { #expect(try !Self.matches(pattern, text), "\(text)") }
    }

    /// A character of each general category; `Cn` has a code point that is not assigned.
    private static let categories = [
        ("Lu", "A"), ("Ll", "a"), ("Lt", "\u{1C5}"), ("Lm", "\u{2B0}"), ("Lo", "文"), ("Mn", "\u{300}"),
        ("Mc", "\u{903}"), ("Me", "\u{20DD}"), ("Nd", "1"), ("Nl", "\u{2160}"), ("No", "\u{B2}"), ("Pc", "_"),
        ("Pd", "-"), ("Ps", "("), ("Pe", ")"), ("Pi", "«"), ("Pf", "»"), ("Po", "!"), ("Sm", "+"), ("Sc", "$"),
        ("Sk", "^"), ("So", "\u{A9}"), ("Zs", " "), ("Zl", "\u{2028}"), ("Zp", "\u{2029}"), ("Cc", "\t"),
        ("Cf", "\u{AD}"), ("Co", "\u{E000}"), ("Cn", "\u{378}"),
    ]

    @Test("a character is in its general category and in that of the first letter, and in no other (RFC 9485 §4)")
    func categories() throws {
        for (name, _) in Self.categories {
            for (other, text) in Self.categories {
                #expect(try Self.matches("\\p{\(name)}", text) == (name == other), "\(name), \(other)")
                #expect(
                    try Self.matches("\\p{\(name.prefix(1))}", text) == (name.first == other.first),
                    "\(name), \(other)"
                )
            }
        }
    }

    @Test("search finds a match anywhere")
    func searching() throws {
        #expect(try Self.matches("b+c", "abbcd", isWhole: false))
        #expect(try Self.matches("", "", isWhole: false))
        #expect(try Self.matches("^ab", "abc", isWhole: false))
        #expect(try !Self.matches("^b", "abc", isWhole: false))
        #expect(try Self.matches("c$", "abc", isWhole: false))
        #expect(try !Self.matches("b$", "abc", isWhole: false))
        #expect(try !Self.matches("x", "abc", isWhole: false))
    }

    @Test(
        "text outside the grammar of RFC 9485 is rejected",
        arguments: [
            "(", ")", "a)", "[", "]", "[]", "[^]", "[b-a]", "[a", "[a-", "[a--]", "[[a]]", "*", "a**", "+", "?", "{1}",
            "a{", "a{,2}", "a{2,1}",
            "a{x}", "}", "\\", "\\d", "\\w", "\\a", "\\$", "\\p", "\\p{", "\\p{}", "\\p{Xx}", "\\p{Lx}", "\\p{Cs}",
            "\\p{IsGreek}", "(?:a)",
            "a|*", "[a-\\p{L}]",
        ]
    )
    func invalid(pattern: String) {
        #expect(throws: IRegexpError.invalid) { try IRegexp(Array(pattern.utf8)) }
    }

    @Test("patterns that are too large when expanded are rejected, also with empty repetitions")
    func tooLarge() {
        let deep = String(repeating: "(", count: 65) + String(repeating: ")", count: 65)
        for pattern in [
            "(a{1000}){1000}", "((){10000}){10000}", "a{99999999999999999999}", deep, "(((a{0}){100}){100}){100}",
        ] {
            #expect(throws: IRegexpError.tooLarge) { try IRegexp(Array(pattern.utf8)) }
        }
    }

    @Test("a pattern has 10,000 instructions with its repetitions, and parentheses 64 deep, and no more")
    func limits() {
        func isPattern(_ text: String) -> Bool { (try? IRegexp(Array(text.utf8))) != nil }
        // The sequence and the repetition count, too.
        #expect(isPattern("a{9998}") && !isPattern("a{9999}"))
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + String(repeating: ")", count: depth)
        }
        #expect(isPattern(nested(64)) && !isPattern(nested(65)))
        #expect(IRegexpError.invalid.userMessage == "the pattern is not an I-Regexp (RFC 9485)")
        #expect(IRegexpError.tooLarge.userMessage == "the pattern is too large")
    }

    @Test("each character takes a step, and one for each instruction that is reached before it")
    func steps() throws {
        func steps(_ pattern: String, _ text: String, isWhole: Bool = true) throws -> Int {
            var meter = WorkMeter(TransformBudget())
            _ = try IRegexp(Array(pattern.utf8)).matches(Array(text.utf8), isWhole: isWhole, meter: &meter)
            return meter.steps
        }
        #expect(try steps("abc", "abc") == 6 && steps("abc", "ab") == 6 && steps("", "") == 0)
        // The split and both of its branches.
        #expect(try steps("(a|b)", "a") == 4)
        #expect(try steps("b", "aaa", isWhole: false) == 8)
    }

    @Test(
        "matching takes steps in proportion to the text, also for patterns that make backtracking matchers explode",
        arguments: ["(a*)*b", "(a|a)*b", "(a|aa)+b", "(.*)(.*)(.*)(.*)b", "(a?){100}a{100}b"]
    )
    func linear(pattern: String) throws {
        func steps(_ count: Int) throws -> Int {
            var meter = WorkMeter(TransformBudget())
            let text = [UInt8](repeating: 0x61, count: count)
            #expect(try !IRegexp(Array(pattern.utf8)).matches(text, isWhole: true, meter: &meter))
            #expect(try !IRegexp(Array(pattern.utf8)).matches(text, isWhole: false, meter: &meter))
            return meter.steps
        }
        let one = try steps(2000)
        #expect(try steps(4000) < one * 21 / 10)
    }
}
