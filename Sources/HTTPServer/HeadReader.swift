import HTTPCore

/// Reads the heads of one connection's requests, which may come in pieces.
struct HeadReader {
    enum Result {
        /// The head is in the caller's `head`; so many bytes are used up.
        case complete(consumed: Int)
        /// No byte of a head has come.
        case nothing
        /// A part of the head has come, and is kept here.
        case partial
        /// There is no room for further unfinished heads (H-132).
        case noRoom
        case failed(ParseError)
    }

    private let budget: HeadBudget
    private var parser: RequestParser
    /// The head read so far, while a part of it is missing.
    private var partial: RequestHead?
    /// Bytes of an unfinished head that count in the budget of all connections.
    private var bytes = 0

    init(parser: RequestParser, budget: HeadBudget) {
        self.parser = parser
        self.budget = budget
    }

    /// Reads one head into `head`, whose memory is reused; `input` holds all bytes of it that have come.
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
