/// Decodes chunked content, strictly (RFC 9112 §7.1).
///
/// Consumes all of its input up to the end of the content; each call continues where the last one ended.
public struct ChunkedDecoder: Sendable {
    private enum Phase {
        case size
        case chunkExtension(ChunkExtensionParser)
        case sizeLineFeed
        case data(Int64)
        case dataCarriageReturn
        case dataLineFeed
        case trailers
        case done
        case failed(ParseError)
    }

    private let limits: ParserLimits
    private var phase = Phase.size
    private var size: Int64 = 0
    private var digits = 0
    private var lineExtensionBytes = 0
    private var extensionBytes = 0
    private var contentBytes: Int64 = 0
    private var trailerParser: TrailerParser

    public init(limits: ParserLimits = ParserLimits()) {
        self.limits = limits
        trailerParser = TrailerParser(limits: limits)
    }

    /// The trailer fields, once the content is complete.
    ///
    /// Fields that frame, route, authenticate or control are dropped.
    public var trailers: Fields { trailerParser.fields }

    public var isComplete: Bool {
        if case .done = phase { return true }
        return false
    }

    /// Continues, and calls `content` with each part of `input` that is content, in order.
    public mutating func decode(_ input: Span<UInt8>, content: (Range<Int>) -> Void) -> ContentDecoder.Result {
        var at = 0
        while at < input.count {
            switch phase {
            case .data(let remaining):
                let count = Int(min(remaining, Int64(input.count - at)))
                content(at..<at + count)
                at += count
                phase = Int64(count) == remaining ? .dataCarriageReturn : .data(remaining - Int64(count))
            case .trailers:
                switch trailerParser.parse(input.extracting(at..<input.count)) {
                case .needMore: return .needMore(consumed: input.count)
                case .failed(let error): return fail(error)
                case .complete(let consumed):
                    phase = .done
                    return .complete(consumed: at + consumed)
                }
            case .done: return .complete(consumed: at)
            case .failed(let error): return .failed(error)
            case .size, .chunkExtension, .sizeLineFeed, .dataCarriageReturn, .dataLineFeed:
                if let code = lineByte(input[at]) { return fail(ParseError(code)) }
                at += 1
            }
        }
        return isComplete ? .complete(consumed: at) : .needMore(consumed: at)
    }

    private mutating func fail(_ error: ParseError) -> ContentDecoder.Result {
        phase = .failed(error)
        return .failed(error)
    }

    /// Reads one byte outside data and trailers.
    private mutating func lineByte(_ byte: UInt8) -> ParseError.Code? {
        switch phase {
        case .size: return sizeByte(byte)
        case .chunkExtension(let parser): return extensionByte(byte, parser)
        case .sizeLineFeed: return byte == 0x0A ? endOfSizeLine() : .bareCarriageReturn
        case .dataCarriageReturn:
            phase = .dataLineFeed
            return byte == 0x0D ? nil : .badChunkEnd
        case .dataLineFeed:
            beginChunk()
            return byte == 0x0A ? nil : .badChunkEnd
        case .data, .trailers, .done, .failed: return nil
        }
    }

    private mutating func beginChunk() {
        phase = .size
        size = 0
        digits = 0
        lineExtensionBytes = 0
    }

    private mutating func sizeByte(_ byte: UInt8) -> ParseError.Code? {
        if let digit = byte.hexDigit {
            digits += 1
            guard digits <= 16 else { return .badChunkSize }
            guard size < 1 << 59 else { return .chunkTooLarge }
            size = size << 4 | Int64(digit)
            return nil
        }
        guard digits > 0 else { return .badChunkSize }
        switch byte {
        case 0x0D:
            phase = .sizeLineFeed
            return nil
        case 0x3B, 0x20, 0x09: return extensionByte(byte, ChunkExtensionParser())
        case 0x0A: return .bareLineFeed
        default: return .badChunkSize
        }
    }

    private mutating func extensionByte(_ byte: UInt8, _ parser: ChunkExtensionParser) -> ParseError.Code? {
        var parser = parser
        switch parser.next(byte) {
        case .more:
            phase = .chunkExtension(parser)
            lineExtensionBytes += 1
            extensionBytes += 1
            if lineExtensionBytes > limits.chunkExtensionLine {
                return .chunkExtensionTooLarge(limit: limits.chunkExtensionLine)
            }
            return extensionBytes > limits.chunkExtensions
                ? .chunkExtensionTooLarge(limit: limits.chunkExtensions) : nil
        case .end:
            phase = .sizeLineFeed
            return nil
        case .failed(let code): return code
        }
    }

    private mutating func endOfSizeLine() -> ParseError.Code? {
        guard size > 0 else {
            phase = .trailers
            return nil
        }
        let (total, overflow) = contentBytes.addingReportingOverflow(size)
        guard !overflow else { return .chunkTooLarge }
        contentBytes = total
        if let limit = limits.content, total > limit { return .contentTooLarge(limit: limit) }
        phase = .data(size)
        return nil
    }
}
