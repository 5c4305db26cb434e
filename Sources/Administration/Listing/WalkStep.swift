/// How many rows of the store one step of a walk reads.
///
/// A step keeps what it wants until it ends, so it is short while it wants much. Otherwise it grows: each step waits
/// for the changes that the store has queued.
struct WalkStep: Sendable {
    private static let usual = 500
    private static let most = 16_000

    let rows: Int

    private init(rows: Int) { self.rows = rows }

    /// The first step of a walk.
    ///
    /// - Parameter limit: how many rows the walk is for.
    init(for limit: Int = .max) { rows = min(max(limit, 1), Self.usual) }

    /// The step after this one, which wanted `count` rows.
    func next(afterFinding count: Int) -> WalkStep {
        WalkStep(rows: count * 8 < rows ? min(rows * 2, Self.most) : min(rows, Self.usual))
    }
}
