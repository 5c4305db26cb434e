import HTTPCore

/// The content of one request on its way in: decoded, and limited to what its reader requested.
struct RequestContent: ~Copyable {
    /// The result of bytes received.
    struct Delivery {
        /// How many bytes of the input were consumed.
        var consumed = 0
        /// The content in them.
        var bytes: [UInt8] = []
        var failure: RequestContentFailure?
    }

    private enum Phase { case reading, complete, failed }

    /// The decoder.
    ///
    /// A class, since it is large and most requests have no content.
    private final class Decoding {
        var decoder: ContentDecoder

        init(_ decoder: ContentDecoder) { self.decoder = decoder }
    }

    /// Nil if there is nothing to decode.
    private let decoding: Decoding?
    private var phase: Phase
    /// Requested bytes that have not been received.
    private var credit = 0

    init(framing: Framing, limits: ParserLimits) {
        guard framing != .none, framing != .length(0) else {
            phase = .complete
            decoding = nil
            return
        }
        decoding = Decoding(ContentDecoder(framing: framing, limits: limits))
        phase = .reading
    }

    var isComplete: Bool { phase == .complete }
    /// Whether bytes received now would be consumed.
    var acceptsBytes: Bool { phase == .reading && credit > 0 }
    /// The trailer section, once the content is complete; nil if it is empty.
    var trailers: Fields? { decoding.flatMap { $0.decoder.trailers.isEmpty ? nil : $0.decoder.trailers } }

    /// Allows `bytes` more.
    mutating func allow(_ bytes: Int) {
        let (sum, overflow) = credit.addingReportingOverflow(max(0, bytes))
        credit = overflow ? .max : sum
    }

    /// Notes that the content will not be complete.
    mutating func fail() { phase = .failed }

    /// Decodes as much of `input` as the credit allows.
    mutating func receive(_ input: Span<UInt8>) -> Delivery {
        guard acceptsBytes else { return Delivery() }
        // Content is never longer than its encoded form.
        let window = input.extracting(0..<min(input.count, credit))
        var delivery = Delivery()
        let decoded = decoding?.decoder.decode(window) { range in
            if delivery.bytes.isEmpty { delivery.bytes.reserveCapacity(window.count - range.lowerBound) }
            delivery.bytes.append(copying: window.extracting(range))
        }
        guard let result = decoded else { return delivery }
        credit -= delivery.bytes.count
        switch result {
        case .needMore(let consumed): delivery.consumed = consumed
        case .complete(let consumed):
            delivery.consumed = consumed
            phase = .complete
        case .failed(let error):
            delivery.consumed = input.count
            delivery.failure = RequestContentFailure(status: error.status, error.userMessage)
        }
        return delivery
    }
}
