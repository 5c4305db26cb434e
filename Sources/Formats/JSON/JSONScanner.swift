/// Splits JSON text into tokens and checks it strictly against RFC 8259, in one pass over pieces of any size.
///
/// The text is UTF-8, and its top value may be of any kind. A byte order mark at the start is skipped, as §8.1 allows.
/// An escaped surrogate without its other half is accepted: the grammar allows it (§8.2), and this scanner decodes
/// nothing. Objects may repeat a name. The scanner stores one flag for each open array or object, and nothing else of
/// the text.
package struct JSONScanner: Sendable {
    /// What the grammar expects next, between tokens.
    enum Expectation: Sendable { case start, value, valueOrEnd, name, nameOrEnd, nameSeparator, separatorOrEnd, end }

    /// The token that is being read.
    enum Lexeme: Sendable {
        case none
        case string(JSONToken.Kind, StringState)
        case number(NumberState)
        /// A literal, and how many of its bytes have been read.
        case literal(Literal, Int)
        case byteOrderMark(Int)
    }

    enum StringState: Sendable {
        case plain, escape
        /// The number of hexadecimal digits still to come.
        case hexadecimal(Int)
        case character(UTF8Sequence)
    }

    package enum NumberState: Sendable {
        case minus, zero, integer, point, fraction, exponentMark, exponentSign, exponent
    }

    enum Literal: Sendable {
        case `true`, `false`, null

        var text: String {
            switch self {
            case .true: "true"
            case .false: "false"
            case .null: "null"
            }
        }

        var bytes: [UInt8] {
            switch self {
            case .true: Self.trueBytes
            case .false: Self.falseBytes
            case .null: Self.nullBytes
            }
        }

        private static let trueBytes = Array("true".utf8)
        private static let falseBytes = Array("false".utf8)
        private static let nullBytes = Array("null".utf8)
    }

    let depthLimit: Int
    var expectation = Expectation.start
    var lexeme = Lexeme.none
    /// The open arrays and objects, outermost first; true for an object.
    var containers: [Bool] = []

    private var position = TextPosition()
    /// The offset of the current span in the text, minus the index at which the current call began.
    private var origin = 0
    /// Bytes consumed by all calls so far.
    private var consumed = 0

    /// - Parameter depthLimit: how deep arrays and objects may be nested.
    package init(depthLimit: Int) { self.depthLimit = depthLimit }

    /// Returns the next token or the next part of one, and moves `at` past it; nil at the end of `input`.
    ///
    /// The next call continues there, with the same span or the following one. A string or number that crosses the end
    /// of `input` is returned in parts.
    package mutating func next(_ input: Span<UInt8>, _ at: inout Int) throws(JSONSyntaxError) -> JSONToken? {
        let start = at
        origin = consumed - start
        let token = try read(input, &at)
        consumed += at - start
        return token
    }

    /// Ends the text; throws if it is incomplete.
    package mutating func finish() throws(JSONSyntaxError) {
        switch lexeme {
        case .none: break
        case .number(let state) where state.isComplete: break
        case .number: throw error(.ended("a digit"))
        case .string: throw error(.ended("the quotation mark that ends a string"))
        case .literal(let literal, _): throw error(.ended("the rest of `\(literal.text)`"))
        case .byteOrderMark: throw error(.ended("a value"))
        }
        if !containers.isEmpty || expectation != .end { throw error(.ended(expectedText)) }
    }

    private mutating func read(_ input: Span<UInt8>, _ at: inout Int) throws(JSONSyntaxError) -> JSONToken? {
        while at < input.count {
            switch lexeme {
            case .none:
                let byte = input[at]
                if byte == 0x20 || JSONByte.isBlank(byte) {
                    at += 1
                    if byte == 0x0A { position.newLine(at: origin + at) }
                } else if let token = try begin(byte, input, &at) {
                    return token
                }
            case .string(let kind, let state):
                return try string(input, &at, kind, state, from: at, isStart: false)
            case .number(let state):
                if let token = try number(input, &at, state, from: at, isStart: false) { return token }
            case .literal(let literal, let count):
                return try self.literal(input, &at, literal, count, from: at, isStart: false)
            case .byteOrderMark(let count):
                guard input[at] == (count == 1 ? 0xBB : 0xBF) else { throw error(.expected("a value"), at: at) }
                at += 1
                // A byte order mark takes no column.
                position.noteContinuation(count == 2 ? 3 : 0)
                lexeme = count == 2 ? .none : .byteOrderMark(2)
            }
        }
        return nil
    }

    // MARK: Tokens

    private mutating func begin(
        _ byte: UInt8,
        _ input: Span<UInt8>,
        _ at: inout Int
    ) throws(JSONSyntaxError) -> JSONToken? {
        switch byte {
        case 0x22: return try beginString(input, &at)
        case 0x2C where expectation == .separatorOrEnd:
            expectation = containers.last == true ? .name : .value
            return take(.valueSeparator, &at)
        case 0x3A where expectation == .nameSeparator:
            expectation = .value
            return take(.nameSeparator, &at)
        case 0x7D where containers.last == true && (expectation == .nameOrEnd || expectation == .separatorOrEnd):
            closeContainer()
            return take(.endObject, &at)
        case 0x5D where containers.last == false && (expectation == .valueOrEnd || expectation == .separatorOrEnd):
            closeContainer()
            return take(.endArray, &at)
        case 0xEF where expectation == .start && origin + at == 0:
            lexeme = .byteOrderMark(1)
            at += 1
            return nil
        default:
            guard expectation == .value || expectation == .valueOrEnd || expectation == .start else {
                throw error(.expected(expectedText), at: at)
            }
            return try beginValue(byte, input, &at)
        }
    }

    private mutating func beginValue(
        _ byte: UInt8,
        _ input: Span<UInt8>,
        _ at: inout Int
    ) throws(JSONSyntaxError) -> JSONToken? {
        let start = at
        switch byte {
        case 0x7B: return try openContainer(.beginObject, &at)
        case 0x5B: return try openContainer(.beginArray, &at)
        case 0x2D, 0x30...0x39:
            at += 1
            valueBegins()
            let state: NumberState = byte == 0x2D ? .minus : byte == 0x30 ? .zero : .integer
            return try number(input, &at, state, from: start, isStart: true)
        case 0x74: return try beginLiteral(.true, input, &at)
        case 0x66: return try beginLiteral(.false, input, &at)
        case 0x6E: return try beginLiteral(.null, input, &at)
        default: throw error(.expected(expectedText), at: at)
        }
    }

    private mutating func beginString(_ input: Span<UInt8>, _ at: inout Int) throws(JSONSyntaxError) -> JSONToken {
        let start = at
        let kind: JSONToken.Kind
        switch expectation {
        case .name, .nameOrEnd:
            kind = .name
            expectation = .nameSeparator
        case .start, .value, .valueOrEnd:
            kind = .string
            valueBegins()
        case .nameSeparator, .separatorOrEnd, .end: throw error(.expected(expectedText), at: at)
        }
        at += 1
        return try string(input, &at, kind, .plain, from: start, isStart: true)
    }

    private mutating func beginLiteral(
        _ literal: Literal,
        _ input: Span<UInt8>,
        _ at: inout Int
    ) throws(JSONSyntaxError) -> JSONToken {
        let start = at
        at += 1
        valueBegins()
        return try self.literal(input, &at, literal, 1, from: start, isStart: true)
    }

    private mutating func literal(
        _ input: Span<UInt8>,
        _ at: inout Int,
        _ literal: Literal,
        _ count: Int,
        from start: Int,
        isStart: Bool
    ) throws(JSONSyntaxError) -> JSONToken {
        let bytes = literal.bytes
        var count = count
        while count < bytes.count, at < input.count {
            guard bytes[count] == input[at] else {
                throw error(.expected("the rest of `\(literal.text)`"), at: at)
            }
            count += 1
            at += 1
        }
        lexeme = count == bytes.count ? .none : .literal(literal, count)
        return JSONToken(kind: .literal, range: start..<at, isStart: isStart)
    }

    private func take(_ kind: JSONToken.Kind, _ at: inout Int) -> JSONToken {
        at += 1
        return JSONToken(kind: kind, range: at - 1..<at, isStart: true)
    }

    // MARK: Structure

    private mutating func openContainer(
        _ kind: JSONToken.Kind,
        _ at: inout Int
    ) throws(JSONSyntaxError) -> JSONToken {
        guard containers.count < depthLimit else { throw error(.tooDeep(limit: depthLimit), at: at) }
        containers.append(kind == .beginObject)
        expectation = kind == .beginObject ? .nameOrEnd : .valueOrEnd
        return take(kind, &at)
    }

    private mutating func closeContainer() {
        containers.removeLast()
        valueBegins()
    }

    /// Sets what the grammar expects after the value that begins here.
    private mutating func valueBegins() { expectation = containers.isEmpty ? .end : .separatorOrEnd }

    // MARK: Errors

    /// What the grammar expects next, for error messages.
    private var expectedText: String {
        switch expectation {
        case .start, .value: "a value"
        case .valueOrEnd: "a value or `]`"
        case .name: "a member name in quotation marks"
        case .nameOrEnd: "a member name in quotation marks or `}`"
        case .nameSeparator: "a colon"
        case .separatorOrEnd: containers.last == true ? "a comma or `}`" : "a comma or `]`"
        case .end: "the end of the text"
        }
    }

    /// An error at `at` of the current span.
    func error(_ problem: JSONSyntaxError.Problem, at: Int) -> JSONSyntaxError {
        position.error(problem, at: origin + at)
    }

    /// An error at the end of the text.
    private func error(_ problem: JSONSyntaxError.Problem) -> JSONSyntaxError { position.error(problem, at: consumed) }

    /// Notes that a byte continues a character, so that columns count characters.
    mutating func noteContinuation() { position.noteContinuation(1) }
}

/// Tracks lines and columns while text passes through.
package struct TextPosition: Sendable {
    private var line = 1
    private var lineStart = 0
    private var continuations = 0

    package init() {}

    /// Starts a new line at this byte of the text.
    package mutating func newLine(at byte: Int) {
        line += 1
        lineStart = byte
        continuations = 0
    }

    package mutating func noteContinuation(_ count: Int) { continuations += count }

    package func error(_ problem: JSONSyntaxError.Problem, at byte: Int) -> JSONSyntaxError {
        JSONSyntaxError(problem: problem, line: line, column: byte - lineStart - continuations + 1)
    }
}
