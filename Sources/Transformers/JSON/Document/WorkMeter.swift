import Transforms

/// Counts the steps of a run and checks its budget from time to time.
struct WorkMeter {
    private let budget: TransformBudget
    /// The number of bytes read and nodes visited so far.
    private(set) var steps = 0
    private var nextCheck = WorkMeter.interval

    private static let interval = 4096

    init(_ budget: TransformBudget) { self.budget = budget }

    /// Adds `count` steps; throws when the time is used up.
    @inline(__always)
    mutating func tick(_ count: Int = 1) throws(TransformFailure) {
        steps &+= count
        if steps >= nextCheck { try check() }
    }

    private mutating func check() throws(TransformFailure) {
        nextCheck = steps + Self.interval
        try budget.check()
    }
}
