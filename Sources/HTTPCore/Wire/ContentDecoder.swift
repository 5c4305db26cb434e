/// Reads the content of one message, however it is framed (RFC 9112 §6).
public struct ContentDecoder: Sendable {
    /// What `decode` did with its input.
    public enum Result: Sendable, Equatable {
        /// It has read all of the input; more content follows.
        case needMore(consumed: Int)
        /// The content ended after this many bytes; the rest belongs to the next message.
        case complete(consumed: Int)
        case failed(ParseError)
    }

    private enum State: Sendable {
        case length(remaining: Int64)
        case chunked(ChunkedDecoder)
        case untilClose(received: Int64)
        case complete
        case failed(ParseError)
    }

    private var state: State
    private let limits: ParserLimits
    /// The trailer fields of chunked content, once it is complete.
    public private(set) var trailers = Fields()

    /// A declared length above `limits.content` fails at the first call of `decode`.
    public init(framing: Framing, limits: ParserLimits = ParserLimits()) {
        self.limits = limits
        switch framing {
        case .none, .length(0): state = .complete
        case .length(let length):
            if let limit = limits.content, length > limit {
                state = .failed(ParseError(.contentTooLarge(limit: limit)))
            } else {
                state = .length(remaining: max(0, length))
            }
        case .chunked: state = .chunked(ChunkedDecoder(limits: limits))
        case .untilClose: state = .untilClose(received: 0)
        }
    }

    /// Whether the end of the content is proven; true at once if there is none.
    public var isComplete: Bool {
        if case .complete = state { return true }
        return false
    }

    /// The missing bytes, if a length was declared.
    public var remaining: Int64? {
        if case .length(let remaining) = state { return remaining }
        return nil
    }

    /// Continues, and calls `content` with each part of `input` that is content, in order.
    ///
    /// Each call continues after the input of the last one.
    public mutating func decode(_ input: Span<UInt8>, content: (Range<Int>) -> Void) -> Result {
        switch state {
        case .complete: return .complete(consumed: 0)
        case .failed(let error): return .failed(error)
        case .length(let remaining):
            let count = Int(min(remaining, Int64(input.count)))
            if count > 0 { content(0..<count) }
            state = Int64(count) == remaining ? .complete : .length(remaining: remaining - Int64(count))
            return isComplete ? .complete(consumed: count) : .needMore(consumed: count)
        case .untilClose(let received): return untilClose(input, received, content: content)
        case .chunked(var decoder):
            state = .complete
            let result = decoder.decode(input, content: content)
            switch result {
            case .needMore: state = .chunked(decoder)
            case .complete: trailers = decoder.trailers
            case .failed(let error): state = .failed(error)
            }
            return result
        }
    }

    private mutating func untilClose(
        _ input: Span<UInt8>,
        _ received: Int64,
        content: (Range<Int>) -> Void
    ) -> Result {
        let (total, overflow) = received.addingReportingOverflow(Int64(input.count))
        if overflow || total > limits.content ?? .max {
            let error = ParseError(.contentTooLarge(limit: limits.content ?? .max))
            state = .failed(error)
            return .failed(error)
        }
        if input.count > 0 { content(0..<input.count) }
        state = .untilClose(received: total)
        return .needMore(consumed: input.count)
    }

    /// Handles a clean end of the connection; returns nil if that completes the content, otherwise the error.
    public mutating func endOfInput() -> ParseError? {
        switch state {
        case .complete: return nil
        case .untilClose:
            state = .complete
            return nil
        case .failed(let error): return error
        case .length, .chunked:
            let error = ParseError(.incomplete)
            state = .failed(error)
            return error
        }
    }
}
