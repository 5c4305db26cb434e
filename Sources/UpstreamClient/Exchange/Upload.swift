import HTTPCore

/// The content of one request on its way out: what has been requested, and what is still missing (RFC 9112 §6).
struct Upload {
    enum Phase {
        /// Waits for the origin's `100 Continue` (H-074).
        case awaitingContinue
        case sending
        case complete
    }

    enum Fault { case tooMuch, tooLittle }

    let framing: Framing
    private(set) var phase: Phase
    /// Bytes of an announced length that have not been passed on yet.
    private var remaining: Int64 = 0
    /// Requested bytes that have not been passed on yet.
    private var outstanding = 0

    init(framing: Framing, awaitsContinue: Bool) {
        self.framing = framing
        if case .length(let count) = framing { remaining = count }
        let isEmpty = framing == .none || framing == .length(0)
        phase = isEmpty ? .complete : awaitsContinue ? .awaitingContinue : .sending
    }

    var isComplete: Bool { phase == .complete }

    /// Notes that content may be sent now.
    mutating func begin() {
        if phase == .awaitingContinue { phase = .sending }
    }

    /// How much to request, given the number of unsent bytes; 0 while there is no room.
    mutating func ask(unsent: Int, ceiling: Int) -> Int {
        guard phase == .sending else { return 0 }
        let room = ceiling - unsent - outstanding
        guard room >= max(1, ceiling / 4) else { return 0 }
        outstanding += room
        return room
    }

    /// Counts `count` bytes that are passed on.
    mutating func accept(_ count: Int) -> Fault? {
        outstanding = max(0, outstanding - count)
        guard case .length = framing else { return nil }
        guard Int64(count) <= remaining else { return .tooMuch }
        remaining -= Int64(count)
        return nil
    }

    /// Notes that all content has been passed on.
    mutating func finish() -> Fault? {
        guard remaining == 0 else { return .tooLittle }
        phase = .complete
        return nil
    }
}
