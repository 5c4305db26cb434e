import Exchanges
import HTTPCore

/// Reads one response: interim heads, the final head, then content up to the credit.
struct ResponseReader {
    enum Phase {
        case head
        indirect case content(ContentDecoder)
        /// The end of the response is proven.
        case done
        /// Another protocol follows; the connection gets another owner.
        case switched
    }

    /// The result of reading a head.
    enum HeadResult {
        case needMore
        case complete(consumed: Int)
        case failed(ParseError)
    }

    /// The result of reading content.
    struct ContentResult {
        /// How many bytes of the input were consumed.
        var consumed: Int
        /// The content in them.
        var content: [UInt8]
        var failure: ParseError?
    }

    /// A head of which only a part has been received.
    private final class PartialHead {
        let parser: ResponseParser
        let head: ResponseHead

        init(_ parser: ResponseParser, _ head: ResponseHead) {
            self.parser = parser
            self.head = head
        }
    }

    private(set) var phase = Phase.head
    private var partial: PartialHead?
    /// How many bytes of content the receiver still accepts.
    private var credit: Int
    private(set) var trailers: Fields?
    /// Whether the connection may carry another exchange after the response (RFC 9112 §9.3).
    private(set) var allowsReuse = false
    /// Whether any byte of a response has been received.
    private(set) var hasReceived = false

    init(credit: Int) { self.credit = max(0, credit) }

    var hasCredit: Bool { credit > 0 }
    var isInHead: Bool { if case .head = phase { true } else { false } }
    var isInContent: Bool { if case .content = phase { true } else { false } }

    mutating func noteBytes() { hasReceived = true }

    /// Allows `bytes` more of content.
    mutating func grant(_ bytes: Int) {
        let (sum, overflow) = credit.addingReportingOverflow(max(0, bytes))
        credit = overflow ? .max : sum
    }

    // MARK: Heads

    /// Reads a head into `head`, to which nobody else may refer then.
    mutating func readHead(
        _ bytes: Span<UInt8>,
        to method: Method,
        limits: borrowing ParserLimits,
        into head: inout ResponseHead
    ) -> HeadResult {
        var parser: ResponseParser
        if let partial = partial.take() {
            parser = partial.parser
            head = partial.head
        } else {
            parser = ResponseParser(limits: copy limits, requestMethod: method)
        }
        switch parser.parse(bytes, into: &head) {
        case .needMore:
            partial = PartialHead(parser, head)
            return .needMore
        case .failed(let error): return .failed(error)
        case .complete(let consumed): return .complete(consumed: consumed)
        }
    }

    mutating func didReadFinalHead(_ head: borrowing ResponseHead) {
        allowsReuse = head.isPersistent && head.framing != .untilClose
    }

    /// The length of the content, if all of it is among the `count` bytes behind the head, and within the credit.
    func lengthOfWholeContent(_ framing: Framing, among count: Int, limits: borrowing ParserLimits) -> Int? {
        switch framing {
        case .none: return 0
        case .length(let length):
            guard length >= 0, length <= min(count, credit), length <= limits.content ?? .max else { return nil }
            return Int(length)
        case .chunked, .untilClose: return nil
        }
    }

    mutating func beginContent(_ framing: Framing, limits: borrowing ParserLimits) {
        let decoder = ContentDecoder(framing: framing, limits: copy limits)
        phase = decoder.isComplete ? .done : .content(decoder)
    }

    /// Notes that another protocol follows.
    mutating func didSwitch() { phase = .switched }

    // MARK: Content

    /// Decodes as much of `bytes` as the credit allows.
    mutating func readContent(_ bytes: Span<UInt8>) -> ContentResult {
        guard case .content(var decoder) = phase else { return ContentResult(consumed: 0, content: []) }
        phase = .done
        // Content is never longer than its encoded form.
        let window = bytes.extracting(0..<min(bytes.count, credit))
        var content: [UInt8] = []
        let result = decoder.decode(window) { range in
            if content.isEmpty { content.reserveCapacity(window.count - range.lowerBound) }
            content.append(copying: window.extracting(range))
        }
        credit -= content.count
        trailers = decoder.trailers.isEmpty ? nil : decoder.trailers
        switch result {
        case .needMore(let consumed):
            phase = .content(decoder)
            return ContentResult(consumed: consumed, content: content)
        case .complete(let consumed): return ContentResult(consumed: consumed, content: content)
        case .failed(let error): return ContentResult(consumed: bytes.count, content: content, failure: error)
        }
    }

    /// Returns whether the end of the connection is a proper end of the content.
    func endsWithInput() -> Bool {
        guard case .content(var decoder) = phase else { return false }
        return decoder.endOfInput() == nil
    }
}
