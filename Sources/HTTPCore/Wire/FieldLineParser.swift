/// Reads field lines one by one and remembers how far it has come (RFC 9112 §5).
///
/// Strict: CRLF only, no folding, no blank before the colon, no controls but HTAB in values. What it finds wrong depends
/// on the bytes up to the fault only, hence not on how they arrived.
struct FieldLineParser: Sendable {
    enum Step {
        case needMore
        case line(Fields.Line)
        /// A line whose name a lenient reader could take for a framing field: to be left out.
        case ignored
        /// The section ended; the index behind it.
        case end(Int)
        case failed(ParseError.Code)
    }

    /// Where the line being read begins.
    private(set) var lineStart: Int
    /// Where the section begins.
    private let sectionStart: Int
    /// No byte before this needs another look.
    private var scanned: Int
    /// Where the colon of the line is, if it was seen.
    private var colon = -1

    init(start: Int) {
        lineStart = start
        sectionStart = start
        scanned = start
    }

    /// Reads the next line of `input`, whose first `end` bytes count.
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

    /// Reads on in a line that is incomplete, faulty, or was so before: byte by byte where it matters.
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

    /// The first byte that is no part of a name, and no colon: the end of the section, or a fault.
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

    /// A value that is not followed by CRLF: incomplete, or a fault.
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

    /// Whether the name is that of a framing field but for `_` in place of `-`.
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
