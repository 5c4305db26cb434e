/// Why a text is not a pattern.
enum IRegexpError: Error, Equatable, Sendable {
    /// It does not follow the grammar of RFC 9485.
    case invalid
    /// With its repetitions expanded it has more than `IRegexp.sizeLimit` instructions, or it is nested too deep.
    case tooLarge

    var userMessage: String {
        switch self {
        case .invalid: "the pattern is not an I-Regexp (RFC 9485)"
        case .tooLarge: "the pattern is too large"
        }
    }
}

/// A pattern (RFC 9485).
///
/// Matching takes time in proportion to the text times the pattern, whatever both are.
///
/// Outside of classes, `^` and `$` match the start and end of the text. The mapping to ECMAScript (RFC 9485 §5.3) and
/// the compliance suite of RFC 9535 do the same.
struct IRegexp: Sendable {
    enum Instruction: Sendable {
        case character(UInt32)
        /// Any character but LF and CR.
        case any
        /// One of `sets`.
        case set(Int)
        case start, end
        case split(Int, Int)
        case jump(Int)
        case accept
    }

    /// The number of instructions that a pattern may have with its repetitions expanded.
    static let sizeLimit = 10_000
    /// The depth to which parentheses may be nested.
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
