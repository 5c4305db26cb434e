/// The dialogue with a parent proxy until its connection leads to the target: a state machine without I/O.
protocol ParentDialogue {
    /// Returns our first bytes.
    mutating func begin() -> [UInt8]

    /// Reads received bytes that are not consumed yet.
    mutating func receive(_ bytes: Span<UInt8>) -> ParentDialogueStep
}

enum ParentDialogueStep: Equatable {
    /// Call again with the same bytes and more.
    case needMore
    /// Consumed this many bytes; send these, then call again with the rest.
    case goOn(consumed: Int, send: [UInt8])
    /// Consumed this many bytes; the following ones come from the target.
    case done(consumed: Int)
    case failed(ParentFault)
}
