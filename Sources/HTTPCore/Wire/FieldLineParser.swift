/// Parses field lines one by one, and remembers how far it has come (RFC 9112 §5).
///
/// It is strict: CRLF only, no folding, no blank before the colon, no controls but HTAB in values. The error depends
/// only on the bytes up to the fault, not on the pieces in which they are received.
struct FieldLineParser: Sendable {
    enum Step {
        case needMore
        case line(Fields.Line)
        /// A line to skip: a lenient reader could take its name for that of a framing field.
        case ignored
        /// The section ended before this index.
        case end(Int)
        case failed(ParseError.Code)
    }

    /// The start of the line that is being read.
    private(set) var lineStart: Int
    /// The start of the section.
    private let sectionStart: Int
    /// No byte before this needs another look.
    private var scanned: Int
    /// The index of the line's colon, or -1.
    private var colon = -1

    init(start: Int) {
        lineStart = start
        sectionStart = start
        scanned = start
    }

    /// Reads the next line of `input`, up to `end`.
    @inline(__always)
    mutating func next(_ input: Span<UInt8>, end: Int, table: KnownFieldTable) -> Step {
        if scanned == lineStart, let shape = ByteScan.fieldLine(input, from: lineStart, to: end) {
            let name = lineStart..<shape.colon
            lineStart = shape.end
            scanned = shape.end
            return line(input, name, shape.value, table)
        }
        return resume(input, end: end, table)
    }

    @inline(__always)
    private func line(
        _ input: Span<UInt8>,
        _ name: Range<Int>,
        _ value: Range<Int>,
        _ table: KnownFieldTable
    ) -> Step {
        if let known = table.field(input, name) { return .line(.init(known: known, name: name, value: value)) }
        return unknown(input, name, value)
    }

    /// Continues a line that is or was incomplete, or is faulty; looks at single bytes if needed.
    private mutating func resume(_ input: Span<UInt8>, end: Int, _ table: KnownFieldTable) -> Step {
        if colon < 0 {
            let stop = ByteScan.nameEnd(input, from: scanned, to: end)
            guard stop < end else {
                scanned = stop
                return .needMore
            }
            guard input[stop] == 0x3A else { return other(input, at: stop, end: end) }
            guard stop > lineStart else { return .failed(.emptyFieldName) }
            colon = stop
            scanned = stop + 1
        }
        let stop = ByteScan.valueEnd(input, from: scanned, to: end)
        guard stop + 1 < end, input[stop] == 0x0D, input[stop + 1] == 0x0A else {
            scanned = stop
            return valueEnd(input, at: stop, end: end)
        }
        let name = lineStart..<colon
        let value = input.trimmed(colon + 1..<stop)
        lineStart = stop + 2
        scanned = lineStart
        colon = -1
        return line(input, name, value, table)
    }

    /// Judges the first byte that is neither a part of a name nor a colon: it is the end of the section, or a fault.
    private mutating func other(_ input: Span<UInt8>, at stop: Int, end: Int) -> Step {
        scanned = stop
        switch input[stop] {
        case 0x0D where stop == lineStart:
            guard stop + 1 < end else { return .needMore }
            return input[stop + 1] == 0x0A ? .end(stop + 2) : .failed(.bareCarriageReturn)
        case 0x0D: return .failed(.missingColon)
        case 0x0A: return .failed(.bareLineFeed)
        case 0x20, 0x09:
            guard stop == lineStart else { return .failed(.whitespaceInFieldName) }
            return .failed(lineStart == sectionStart ? .leadingWhitespace : .foldedLine)
        default: return .failed(.badFieldName)
        }
    }

    /// Judges the byte after a value without CRLF: the line is incomplete, or faulty.
    private func valueEnd(_ input: Span<UInt8>, at stop: Int, end: Int) -> Step {
        guard stop < end else { return .needMore }
        switch input[stop] {
        case 0x0D: return stop + 1 < end ? .failed(.bareCarriageReturn) : .needMore
        case 0x0A: return .failed(.bareLineFeed)
        default: return .failed(.badFieldValue)
        }
    }

    private func unknown(_ input: Span<UInt8>, _ name: Range<Int>, _ value: Range<Int>) -> Step {
        guard name.count <= Fields.Line.nameLimit,
            ByteScan.end(of: .token, input, from: name.lowerBound, to: name.upperBound) == name.upperBound
        else { return .failed(.badFieldName) }
        if Self.resemblesFraming(input, name) { return .ignored }
        return .line(.init(known: nil, name: name, value: value))
    }

    /// Whether the name is that of a framing field with `_` instead of `-`.
    private static func resemblesFraming(_ input: Span<UInt8>, _ name: Range<Int>) -> Bool {
        switch name.count {
        case 14: matches(input, name, "content-length")
        case 17: matches(input, name, "transfer-encoding")
        default: false
        }
    }

    private static func matches(_ input: Span<UInt8>, _ name: Range<Int>, _ text: StaticString) -> Bool {
        var bytes = [UInt8](copying: input.extracting(name))
        for index in bytes.indices where bytes[index] == 0x5F { bytes[index] = 0x2D }
        return ByteScan.matches(bytes.span, 0..<bytes.count, text)
    }
}
