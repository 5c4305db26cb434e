import HTTPCore
public import Transforms

/// Replaces what a regular expression matches, wherever text content does.
///
/// Matches are found from left to right and do not overlap; replacements are not searched. Content that is not text
/// (see `TextualTypes`) stays as it is. It reads the whole content. The time limit of transformers holds between two
/// matches, and finding one takes time in proportion to the content.
public struct ReplaceTransformer: StreamingTransformer {
    private let expression: Expression
    private let text: String
    private let replacement: ExpressionReplacement
    private let replacementText: String
    private let ignoreCase: Bool

    /// - Parameters:
    ///   - text: the expression, in the syntax of RE2.
    ///   - replacement: `$1` to `$9` stand for groups, `$0` for the whole match, `$$` for a dollar.
    public init(_ text: String, with replacement: String, ignoreCase: Bool = false) throws(TransformerOptionError) {
        let longest = SubstituteTransformer.maximumLength
        guard text.utf8.count <= longest, replacement.utf8.count <= longest else {
            throw TransformerOptionError("`substitute` accepts texts of at most \(longest) bytes")
        }
        do throws(Expression.Fault) {
            expression = try Expression(text, ignoresCase: ignoreCase)
        } catch {
            throw TransformerOptionError("`substitute` is no regular expression: \(error.reason)")
        }
        self.replacement = try ExpressionReplacement(replacement, groups: expression.groupCount)
        (self.text, replacementText, self.ignoreCase) = (text, replacement, ignoreCase)
    }

    public var name: String { "substitute" }
    public var fingerprint: String {
        "substitute:regex:\(ignoreCase ? "i" : "c"):\(text.utf8.count):\(text):\(replacementText)"
    }
    public var needsDecodedContent: Bool { true }
    public var dependsOnRequest: Bool { false }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        guard TextualTypes.type(of: head.fields) != nil else { return nil }
        head.fields.remove(.contentLength)
        let limits = context.limits
        return WholeContent(limits: limits) { [self] content throws(TransformFailure) in
            var output = JSONOutput(limits)
            try replace(in: content, into: &output, context.budget)
            return output.bytes
        }
    }

    private func replace(
        in content: Span<UInt8>,
        into output: inout JSONOutput,
        _ budget: TransformBudget
    ) throws(TransformFailure) {
        var (done, next) = (0, 0)
        while next <= content.count,
            let groups = expression.find(in: content, from: next, groups: replacement.lastGroup),
            let match = groups.first ?? nil
        {
            try budget.check()
            // As RE2 does: nothing is found directly behind a match.
            if match.isEmpty, done > 0, match.lowerBound == done, next == done {
                next = Self.nextCharacter(content, behind: next)
                continue
            }
            try output.append([UInt8](copying: content.extracting(done..<match.lowerBound)))
            for part in replacement.parts {
                switch part {
                case .text(let bytes): try output.append(bytes)
                case .group(let index):
                    if let group = groups[index] { try output.append([UInt8](copying: content.extracting(group))) }
                }
            }
            done = match.upperBound
            // Behind an empty match the next character is not searched again.
            next = match.isEmpty ? Self.nextCharacter(content, behind: done) : done
        }
        try output.append([UInt8](copying: content.extracting(done..<content.count)))
    }

    private static func nextCharacter(_ content: Span<UInt8>, behind start: Int) -> Int {
        var next = start + 1
        // 0b10…… is the middle of a character.
        while next < content.count, content[next] & 0xC0 == 0x80 { next += 1 }
        return next
    }
}

/// The text that replaces a match, with places for groups.
struct ExpressionReplacement: Sendable {
    enum Part: Sendable, Equatable {
        case text([UInt8])
        case group(Int)
    }

    private(set) var parts: [Part] = []

    /// The number of the last group that is used.
    var lastGroup: Int {
        parts.reduce(0) { if case .group(let index) = $1 { max($0, index) } else { $0 } }
    }

    /// - Parameter groups: how many groups the expression has.
    init(_ text: String, groups: Int) throws(TransformerOptionError) {
        var literal: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "$") else {
                literal.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "$")?: literal.append(byte)
            case let digit? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit):
                let group = Int(digit - UInt8(ascii: "0"))
                guard group <= groups else {
                    throw TransformerOptionError(
                        "`with` has $\(group), but the expression has \(groups) group\(groups == 1 ? "" : "s") in parentheses"
                    )
                }
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = []
                parts.append(.group(group))
            default:
                throw TransformerOptionError(
                    "`with` has a $ without a digit behind it: write $1 for a group, or $$ for a dollar"
                )
            }
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
    }
}
