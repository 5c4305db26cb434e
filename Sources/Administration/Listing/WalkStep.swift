/// How many rows of the store one step of a walk reads.
///
/// A step keeps what it wants until it ends, so it is short while it wants much. Otherwise it grows: each step waits for
/// the changes that the store has queued.
struct WalkStep: Sendable {
    private static let least = 500
    private static let most = 16_000

    private(set) var rows = least

    /// The step after this one, which wanted `count` rows.
    func next(afterFinding count: Int) -> WalkStep {
        WalkStep(rows: count * 8 < rows ? min(rows * 2, Self.most) : Self.least)
    }
}
