import Formats

/// Parses JSONPath queries (RFC 9535) and checks their types (§2.4.3).
///
/// Columns count characters. Filters, parentheses and function calls may be nested to `depthLimit`.
struct JSONPathParser {
    /// Parses `text`, which must be exactly one query.
    static func parse(_ text: String) throws(JSONPathError) -> JSONQuery {
        var parser = JSONPathParser(text)
        guard parser.consume("$") else { throw parser.error("a path begins with `$`") }
        let segments = try parser.segments()
        if parser.at < parser.bytes.count {
            throw parser.error("a path continues with `.`, `..` or `[` here, and has no blanks at its end")
        }
        return JSONQuery(segments: segments, isAbsolute: true)
    }

    static let depthLimit = 32

    let bytes: [UInt8]
    var at = 0
    private var depth = 0
    /// The number of absolute queries in filters so far.
    private var slots = 0

    private init(_ text: String) { bytes = Array(text.utf8) }

    // MARK: Segments

    // segments = *(S segment)
    mutating func segments() throws(JSONPathError) -> [JSONSegment] {
        var result: [JSONSegment] = []
        while true {
            let start = at
            skipBlanks()
            switch peek {
            case 0x5B: result.append(JSONSegment(isDescendant: false, selectors: try bracketed()))
            case 0x2E:
                at += 1
                let isDescendant = consume(".")
                result.append(try dotted(isDescendant))
            default:
                at = start
                return result
            }
        }
    }

    private mutating func dotted(_ isDescendant: Bool) throws(JSONPathError) -> JSONSegment {
        if consume("*") { return JSONSegment(isDescendant: isDescendant, selectors: [.wildcard]) }
        if isDescendant, peek == 0x5B { return JSONSegment(isDescendant: true, selectors: try bracketed()) }
        let start = at
        while let byte = peek, Self.isNameByte(byte), at > start || !JSONByte.isDigit(byte) { at += 1 }
        guard at > start else {
            throw error(isDescendant ? "`..` is followed by a name, `*` or `[`" : "`.` is followed by a name or `*`")
        }
        return JSONSegment(isDescendant: isDescendant, selectors: [.name(Array(bytes[start..<at]))])
    }

    // name-char
    private static func isNameByte(_ byte: UInt8) -> Bool {
        JSONByte.isDigit(byte) || (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte >= 0x80
    }

    private mutating func bracketed() throws(JSONPathError) -> [JSONSelector] {
        at += 1
        var result: [JSONSelector] = []
        repeat {
            skipBlanks()
            result.append(try selector())
            skipBlanks()
        } while consume(",")
        guard consume("]") else { throw error("`,` or `]` is missing") }
        return result
    }

    // MARK: Selectors

    private mutating func selector() throws(JSONPathError) -> JSONSelector {
        switch peek ?? 0 {
        case 0x22, 0x27: return .name(try quoted())
        case 0x2A:
            at += 1
            return .wildcard
        case 0x3F:
            at += 1
            skipBlanks()
            return .filter(try nested { parser throws(JSONPathError) in try parser.logical() })
        case 0x3A, 0x2D, 0x30...0x39: return try indexOrSlice()
        default: throw error("a selector is missing: a quoted name, an index, a slice, `*` or `?` with a condition")
        }
    }

    private mutating func indexOrSlice() throws(JSONPathError) -> JSONSelector {
        let start = try integerIfAny()
        let afterStart = at
        skipBlanks()
        guard consume(":") else {
            at = afterStart
            guard let start else { throw error("an index is missing") }
            return .index(start)
        }
        skipBlanks()
        let end = try integerIfAny()
        let afterEnd = at
        skipBlanks()
        guard consume(":") else {
            at = afterEnd
            return .slice(JSONSlice(start: start, end: end, step: 1))
        }
        let afterColon = at
        skipBlanks()
        guard let step = try integerIfAny() else {
            at = afterColon
            return .slice(JSONSlice(start: start, end: end, step: 1))
        }
        return .slice(JSONSlice(start: start, end: end, step: step))
    }

    /// int, within the range that RFC 9535 §2.1 makes portable.
    private mutating func integerIfAny() throws(JSONPathError) -> Int? {
        let start = at
        let isNegative = consume("-")
        let digitsStart = at
        var value = 0
        while let byte = peek, JSONByte.isDigit(byte) {
            value = value * 10 + Int(byte - 0x30)
            guard value < 1 << 53 else { throw error("the number is beyond 2^53 - 1", at: start) }
            at += 1
        }
        let count = at - digitsStart
        if count == 0 {
            if isNegative { throw error("a digit is missing after `-`") }
            return nil
        }
        if bytes[digitsStart] == 0x30, count > 1 || isNegative {
            throw error("the number has a leading zero or is `-0`", at: start)
        }
        return isNegative ? -value : value
    }

    // MARK: Means

    var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    /// Consumes `text` if it comes next; returns whether it does.
    mutating func consume(_ text: String) -> Bool {
        guard bytes[at...].starts(with: text.utf8) else { return false }
        at += text.utf8.count
        return true
    }

    mutating func skipBlanks() { while let byte = peek, JSONByte.isBlank(byte) { at += 1 } }

    /// Runs `body` one level deeper.
    mutating func nested<R>(
        _ body: (inout JSONPathParser) throws(JSONPathError) -> R
    ) throws(JSONPathError) -> R {
        guard depth < Self.depthLimit else { throw error("the path is nested more than \(Self.depthLimit) deep") }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    /// Returns a new slot for the result of an absolute query.
    mutating func newSlot() -> Int {
        slots += 1
        return slots - 1
    }

    /// An error at the current position.
    func error(_ message: String) -> JSONPathError { error(message, at: at) }

    func error(_ message: String, at byte: Int) -> JSONPathError {
        let characters = bytes[..<byte].count { $0 & 0xC0 != 0x80 }
        return JSONPathError(userMessage: message, column: characters + 1)
    }
}
