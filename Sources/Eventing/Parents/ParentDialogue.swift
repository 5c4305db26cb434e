/// What is said to a proxy until its connection is the target's: a state machine without I/O.
protocol ParentDialogue {
    /// Our first bytes.
    mutating func begin() -> [UInt8]

    /// Judges what has come and is not used up yet.
    mutating func receive(_ bytes: Span<UInt8>) -> ParentDialogueStep
}

enum ParentDialogueStep: Equatable {
    /// All of it must be shown again together with more.
    case needMore
    /// So many bytes are used up; these are to be sent, and the rest is to be shown.
    case goOn(consumed: Int, send: [UInt8])
    /// So many bytes are used up; what follows is the target's.
    case done(consumed: Int)
    case failed(ParentFault)
}
