/// The dialogue with a parent proxy until its connection leads to the target: a state machine without I/O.
protocol ParentDialogue {
    /// Our first bytes.
    mutating func begin() -> [UInt8]

    /// Reads bytes that have come and are not used up yet.
    mutating func receive(_ bytes: Span<UInt8>) -> ParentDialogueStep
}

enum ParentDialogueStep: Equatable {
    /// Call again with the same bytes and more.
    case needMore
    /// So many bytes are used up; send these, then call again with the rest.
    case goOn(consumed: Int, send: [UInt8])
    /// So many bytes are used up; bytes behind them come from the target.
    case done(consumed: Int)
    case failed(ParentFault)
}
