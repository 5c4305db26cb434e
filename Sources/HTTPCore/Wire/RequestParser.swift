/// Parses the heads of requests, one after the other (RFC 9112 §2.2).
///
/// After `.needMore`, the caller calls again with the same head and all bytes of the message received so far. After
/// `.complete`, and after a failure, `reset()` prepares the parser for the next message. The work is linear in the
/// number of bytes. Neither work nor result depends on the pieces in which bytes are received. Once the arrays of the
/// head are large enough, only an unknown method allocates.
public struct RequestParser: Sendable {
    /// What a listener requires beyond the syntax.
    public struct Rules: Sendable, Equatable {
        /// Refuse an absolute-form target whose authority is not that of `Host` (for a gateway).
        public var hostMustMatchTarget = false

        public init() {}
    }

    private enum Phase {
        case requestLine
        case fields
    }

    enum LineResult {
        case needMore
        case line(end: Int)
        case failed(ParseError.Code)
    }

    public let limits: ParserLimits
    public let rules: Rules

    private var phase = Phase.requestLine
    /// The start of the request line, after empty lines.
    private var start = 0
    private var emptyLines = 0
    /// No byte of the target before this needs another look.
    private var scanned = 0
    private var lines = FieldLineParser(start: 0)
    private var section = RequestSection()
    private var knownHost = KnownHost()
    private let table = KnownFieldTable.shared

    public init(limits: ParserLimits = ParserLimits(), rules: Rules = Rules()) {
        self.limits = limits
        self.rules = rules
    }

    /// Forgets the current message.
    public mutating func reset() {
        phase = .requestLine
        start = 0
        emptyLines = 0
        scanned = 0
    }

    /// Whether any byte of a message was received since the last reset; empty lines do not count.
    public var hasBegun: Bool { phase == .fields || scanned > start }

    /// Continues; `input` has all bytes from the start of the message.
    ///
    /// On `.complete` the head is valid, and its ranges are of `head.fields.bytes`.
    public mutating func parse(_ input: Span<UInt8>, into head: inout RequestHead) -> ParseResult {
        if phase == .requestLine {
            switch requestLine(input, into: &head) {
            case .needMore: return .needMore
            case .failed(let code): return .failed(ParseError(code))
            case .line(let end):
                phase = .fields
                lines = FieldLineParser(start: end)
                section = RequestSection()
                section.start = end
                head.fields.lines.removeAll(keepingCapacity: true)
            }
        }
        return fields(input, into: &head)
    }

    // MARK: The request line

    private mutating func requestLine(_ input: Span<UInt8>, into head: inout RequestHead) -> LineResult {
        let count = input.count
        if let result = skipEmptyLines(input) { return result }
        let methodLimit = start + limits.method
        let methodEnd = ByteScan.end(of: .token, input, from: start, to: min(count, methodLimit + 1))
        guard methodEnd <= methodLimit else { return .failed(.methodTooLong(limit: limits.method)) }
        scanned = max(scanned, methodEnd)
        guard methodEnd < count else { return .needMore }
        guard input[methodEnd] == 0x20, methodEnd > start else {
            return .failed(Self.lineFault(input[methodEnd], else: .badMethod))
        }
        let targetStart = methodEnd + 1
        let targetLimit = targetStart + limits.requestTarget
        let from = max(scanned, targetStart)
        guard from <= count else { return .needMore }
        let targetEnd = ByteScan.targetEnd(input, from: from, to: min(count, targetLimit + 1))
        guard targetEnd <= targetLimit else { return .failed(.targetTooLong(limit: limits.requestTarget)) }
        scanned = targetEnd
        guard targetEnd < count else { return .needMore }
        guard input[targetEnd] == 0x20 else { return .failed(Self.targetFault(input[targetEnd])) }
        guard targetEnd > targetStart else { return .failed(.badRequestLine) }
        return version(input, targetStart..<targetEnd, methodEnd, into: &head)
    }

    /// Moves `start` past empty lines; returns nil once another byte follows.
    @inline(__always)
    private mutating func skipEmptyLines(_ input: Span<UInt8>) -> LineResult? {
        while start < input.count {
            guard input[start] == 0x0D else { return nil }
            guard start + 1 < input.count else { return .needMore }
            guard input[start + 1] == 0x0A else { return .failed(.bareCarriageReturn) }
            emptyLines += 1
            guard emptyLines <= limits.emptyLines else { return .failed(.tooManyEmptyLines(limit: limits.emptyLines)) }
            start += 2
        }
        return .needMore
    }

    private static func lineFault(_ byte: UInt8, else code: ParseError.Code) -> ParseError.Code {
        switch byte {
        case 0x0A: .bareLineFeed
        case 0x20, 0x09, 0x0D: .badRequestLine
        default: code
        }
    }

    private static func targetFault(_ byte: UInt8) -> ParseError.Code {
        switch byte {
        case 0x23: .fragmentInTarget
        case 0x0D: .badVersion
        default: lineFault(byte, else: .badTarget)
        }
    }

    /// `HTTP/1.` as a little-endian word, without the digit after it.
    private static let versionWord: UInt64 = 0x002E_312F_5054_5448

    private func version(
        _ input: Span<UInt8>,
        _ target: Range<Int>,
        _ methodEnd: Int,
        into head: inout RequestHead
    ) -> LineResult {
        let at = target.upperBound + 1
        guard at + 10 <= input.count else { return versionFault(input, at: at).map(LineResult.failed) ?? .needMore }
        let word = ByteScan.word(input, at: at)
        let digit = UInt8(truncatingIfNeeded: word >> 56)
        guard word & 0x00FF_FFFF_FFFF_FFFF == Self.versionWord, digit.isDigit, input[at + 8] == 0x0D,
            input[at + 9] == 0x0A
        else { return .failed(versionFault(input, at: at) ?? .badVersion) }
        head.version = digit == 0x30 ? .http10 : .http11
        head.method = Method(input.extracting(start..<methodEnd))
        head.targetRange = target
        if let code = RequestTarget.parse(input, target, into: &head) { return .failed(code) }
        return .line(end: at + 10)
    }

    /// The first fault in the version and line end at `start`; nil if there is none in the bytes so far.
    private func versionFault(_ input: Span<UInt8>, at start: Int) -> ParseError.Code? {
        let text: InlineArray<10, UInt8> = [0x48, 0x54, 0x54, 0x50, 0x2F, 0x31, 0x2E, 0x30, 0x0D, 0x0A]
        for offset in 0..<10 where start + offset < input.count {
            let byte = input[start + offset]
            switch offset {
            case 5 where byte.isDigit && byte != 0x31: return .unsupportedVersion
            case 7 where byte.isDigit: continue
            case _ where byte == text[offset]: continue
            case 9: return .bareCarriageReturn
            default: return byte == 0x0A ? .bareLineFeed : .badVersion
            }
        }
        return nil
    }

    // MARK: The fields

    private mutating func fields(_ input: Span<UInt8>, into head: inout RequestHead) -> ParseResult {
        let limit = section.start + limits.headerSection
        let end = min(input.count, limit)
        var lines = self.lines
        var section = self.section
        while true {
            switch lines.next(input, end: end, table: table) {
            case .line(let line):
                guard head.fields.lines.count < limits.headerFields else {
                    return .failed(ParseError(.tooManyFields(limit: limits.headerFields)))
                }
                guard let known = line.known else {
                    head.fields.lines.append(line)
                    continue
                }
                if RequestSection.isSpecial(known) {
                    let verdict = section.note(line, known, input, &head, &knownHost, limits: limits)
                    if case .failed(let code) = verdict { return .failed(ParseError(code)) }
                    if case .drop = verdict { continue }
                }
                section.present.insert(known)
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
                if let code = section.finish(&head, rules: rules) { return .failed(ParseError(code)) }
                return .complete(consumed: end)
            }
        }
    }
}
