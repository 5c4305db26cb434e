/// Why a text is no pattern.
enum IRegexpError: Error, Equatable, Sendable {
    /// It does not follow the grammar of RFC 9485.
    case invalid
    /// Written out, it has more than `IRegexp.sizeLimit` steps, or is nested too deep.
    case tooLarge

    var userMessage: String {
        switch self {
        case .invalid: "the pattern is no I-Regexp (RFC 9485)"
        case .tooLarge: "the pattern is too large"
        }
    }
}

/// A pattern (RFC 9485), matched in time that grows with the text times the pattern, whatever both are.
///
/// `^` and `$` outside of classes stand for start and end of the text, as in the mapping to ECMAScript (RFC 9485 §5.3)
/// and in the compliance suite of RFC 9535.
struct IRegexp: Sendable {
    enum Instruction: Sendable {
        case character(UInt32)
        /// Anything but LF and CR.
        case any
        /// One of `sets`.
        case set(Int)
        case start, end
        case split(Int, Int)
        case jump(Int)
        case accept
    }

    /// Steps of a pattern with its repetitions written out.
    static let sizeLimit = 10_000
    /// Nesting of parentheses.
    static let depthLimit = 64

    let instructions: [Instruction]
    let sets: [ScalarSet]

    /// - Parameter text: UTF-8.
    init(_ text: [UInt8]) throws(IRegexpError) {
        var parser = try IRegexpParser(text)
        let tree = try parser.parse()
        var compiler = IRegexpCompiler()
        try compiler.compile(tree)
        instructions = compiler.instructions + [.accept]
        sets = compiler.sets
    }
}
