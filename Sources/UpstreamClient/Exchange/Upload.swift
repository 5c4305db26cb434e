import HTTPCore

/// The content of one request on its way out: what has been asked for, and what is still to come (RFC 9112 §6).
struct Upload {
    enum Phase {
        /// The origin's `100 Continue` is awaited (H-074).
        case awaitingContinue
        case sending
        case complete
    }

    enum Fault { case tooMuch, tooLittle }

    let framing: Framing
    private(set) var phase: Phase
    /// Bytes of an announced length that are not handed over yet.
    private var remaining: Int64 = 0
    /// Bytes that were asked for and are not handed over yet.
    private var outstanding = 0

    init(framing: Framing, awaitsContinue: Bool) {
        self.framing = framing
        if case .length(let count) = framing { remaining = count }
        let isEmpty = framing == .none || framing == .length(0)
        phase = isEmpty ? .complete : awaitsContinue ? .awaitingContinue : .sending
    }

    var isComplete: Bool { phase == .complete }

    /// Content may be sent now.
    mutating func begin() {
        if phase == .awaitingContinue { phase = .sending }
    }

    /// How much to ask for, given what is unsent; 0 while there is no room.
    mutating func ask(unsent: Int, ceiling: Int) -> Int {
        guard phase == .sending else { return 0 }
        let room = ceiling - unsent - outstanding
        guard room >= max(1, ceiling / 4) else { return 0 }
        outstanding += room
        return room
    }

    /// Counts `count` bytes that are handed over.
    mutating func accept(_ count: Int) -> Fault? {
        outstanding = max(0, outstanding - count)
        guard case .length = framing else { return nil }
        guard Int64(count) <= remaining else { return .tooMuch }
        remaining -= Int64(count)
        return nil
    }

    /// Everything is handed over.
    mutating func finish() -> Fault? {
        guard remaining == 0 else { return .tooLittle }
        phase = .complete
        return nil
    }
}
