/// Parses the heads of responses, one after the other, interim ones too (RFC 9112 §4, §6.3).
///
/// It is used like `RequestParser`. Every failure becomes a 502 with the error type `ParseError.proxyErrorType`.
public struct ResponseParser: Sendable {
    public let limits: ParserLimits

    private var method: Method
    private var readsStatusLine = true
    /// No byte of the status line before this needs another look.
    private var scanned = 0
    private var sectionStart = 0
    private var lines = FieldLineParser(start: 0)
    private var section = ResponseSection()
    private let table = KnownFieldTable.shared

    public init(limits: ParserLimits = ParserLimits(), requestMethod: Method = .get) {
        self.limits = limits
        method = requestMethod
    }

    /// Forgets the current message; the next one is the response to a request with `requestMethod`.
    public mutating func reset(requestMethod: Method) {
        method = requestMethod
        reset()
    }

    /// Forgets the current message, an interim response; the next one is for the same request.
    public mutating func reset() {
        readsStatusLine = true
        scanned = 0
    }

    /// Continues; `input` has all bytes from the start of the message.
    public mutating func parse(_ input: Span<UInt8>, into head: inout ResponseHead) -> ParseResult {
        if readsStatusLine {
            switch statusLine(input, into: &head) {
            case .needMore: return .needMore
            case .failed(let code): return .failed(ParseError(code))
            case .line(let end):
                readsStatusLine = false
                sectionStart = end
                lines = FieldLineParser(start: end)
                section = ResponseSection()
                if head.fields.lines.isEmpty {
                    head.fields.lines.reserveCapacity(Self.usualLines)
                } else {
                    head.fields.lines.removeAll(keepingCapacity: true)
                }
            }
        }
        return fields(input, into: &head)
    }

    // MARK: The status line

    /// Most responses have at most this many lines.
    private static let usualLines = 16

    /// `HTTP/1.x SP 3DIGIT`; a `d` stands for a digit.
    private static let pattern: InlineArray<12, UInt8> = [
        0x48, 0x54, 0x54, 0x50, 0x2F, 0x31, 0x2E, 0x64, 0x20, 0x64, 0x64, 0x64,
    ]

    /// `HTTP/1.` as a little-endian word.
    private static let versionWord: UInt64 = 0x002E_312F_5054_5448

    /// Whether the first twelve bytes have been received and are valid; if not, the caller finds the fault.
    private func isUsual(_ input: Span<UInt8>) -> Bool {
        guard input.count >= 12 else { return false }
        let word = ByteScan.word(input, at: 0)
        return word & 0x00FF_FFFF_FFFF_FFFF == Self.versionWord && UInt8(truncatingIfNeeded: word >> 56).isDigit
            && input[8] == 0x20 && (0x31...0x35).contains(input[9]) && input[10].isDigit && input[11].isDigit
    }

    /// `OK`, an array that nearly all responses share.
    private static let usualReason: [UInt8] = [0x4F, 0x4B]

    private mutating func statusLine(
        _ input: Span<UInt8>,
        into head: inout ResponseHead
    ) -> RequestParser.LineResult {
        let count = input.count
        for index in 0..<(isUsual(input) ? 0 : min(count, 12)) {
            let expected = Self.pattern[index]
            guard expected == 0x64 ? input[index].isDigit : input[index] == expected else {
                return .failed(.badStatusLine)
            }
            if index == 9, !(0x31...0x35).contains(input[9]) { return .failed(.badStatusLine) }
        }
        guard count > 12 else { return .needMore }
        guard input[12] == 0x20 || input[12] == 0x0D else { return .failed(.badStatusLine) }
        let reasonStart = input[12] == 0x20 ? 13 : 12
        let limit = 13 + limits.reasonPhrase
        let end = ByteScan.valueEnd(input, from: max(reasonStart, scanned), to: min(count, limit + 1))
        guard end <= limit else { return .failed(.badReason) }
        scanned = end
        guard end < count else { return .needMore }
        guard input[end] == 0x0D else { return .failed(input[end] == 0x0A ? .bareLineFeed : .badReason) }
        guard end + 1 < count else { return .needMore }
        guard input[end + 1] == 0x0A else { return .failed(.bareCarriageReturn) }
        head.version = input[7] == 0x30 ? .http10 : .http11
        head.status = (9..<12).reduce(0) { $0 * 10 + UInt16(input[$1] - 0x30) }
        if ByteScan.equals(input.extracting(reasonStart..<end), "OK") {
            head.reason = Self.usualReason
        } else {
            ByteScan.replace(&head.reason, with: input, reasonStart..<end)
        }
        return .line(end: end + 2)
    }

    // MARK: The fields

    private mutating func fields(_ input: Span<UInt8>, into head: inout ResponseHead) -> ParseResult {
        let limit = sectionStart + limits.headerSection
        let end = min(input.count, limit)
        var lines = self.lines
        var section = self.section
        while true {
            switch lines.next(input, end: end, table: table) {
            case .line(let line):
                guard head.fields.lines.count < limits.headerFields else {
                    return .failed(ParseError(.tooManyFields(limit: limits.headerFields)))
                }
                if let known = line.known {
                    section.note(line, known, input, head)
                    section.present.insert(known)
                }
                head.fields.lines.append(line)
            case .ignored: continue
            case .needMore:
                self.lines = lines
                self.section = section
                guard input.count <= limit else {
                    return .failed(ParseError(.sectionTooLarge(limit: limits.headerSection)))
                }
                return .needMore
            case .failed(let code): return .failed(ParseError(code))
            case .end(let end):
                ByteScan.replace(&head.fields.bytes, with: input, 0..<end)
                head.fields.present = section.present
                if let code = section.finish(&head, requestMethod: method) { return .failed(ParseError(code)) }
                return .complete(consumed: end)
            }
        }
    }
}
