import HTTPCore

/// Reads the heads of one connection's requests, which may be received in pieces.
struct HeadReader {
    enum Result {
        /// The head is in the caller's `head`; it took this many bytes.
        case complete(consumed: Int)
        /// No byte of a head has been received.
        case nothing
        /// A part of the head has been received, and is kept here.
        case partial
        /// There is no room for further unfinished heads (H-132).
        case noRoom
        case failed(ParseError)
    }

    private let budget: HeadBudget
    private var parser: RequestParser
    /// The head read so far, while the rest is missing.
    private var partial: RequestHead?
    /// Bytes of an unfinished head that the budget of all connections counts.
    private var bytes = 0

    init(parser: RequestParser, budget: HeadBudget) {
        self.parser = parser
        self.budget = budget
    }

    /// Reads one head into `head`, whose memory is reused.
    ///
    /// `input` has all its bytes received so far.
    mutating func read(_ input: Span<UInt8>, into head: inout RequestHead) -> Result {
        if let partial = partial.take() { head = partial }
        switch parser.parse(input, into: &head) {
        case .complete(let consumed):
            if bytes > 0 { release() }
            parser.reset()
            return .complete(consumed: consumed)
        case .failed(let error):
            parser.reset()
            return .failed(error)
        case .needMore:
            guard parser.hasBegun else { return .nothing }
            guard budget.grow(from: bytes, to: input.count) else {
                parser.reset()
                return .noRoom
            }
            bytes = input.count
            partial = head
            head = RequestHead()
            return .partial
        }
    }

    /// Drops an unfinished head.
    mutating func drop() {
        partial = nil
        if bytes > 0 { release() }
    }

    private mutating func release() {
        budget.leave(bytes)
        bytes = 0
    }
}
