/// Adds up what several purges removed, and reports the sum once all are done.
package final class PurgeTally: Sendable {
    private let state: Lock<(count: Int, pending: Int)>
    private let combine: @Sendable (Int, Int) -> Int
    private let completion: @Sendable (Int) -> Void

    /// - Parameter combine: what to do with two counts, if they are not of different things.
    package init(
        count: Int,
        pending: Int,
        by combine: @escaping @Sendable (Int, Int) -> Int = { $0 + $1 },
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        state = Lock((count, pending))
        self.combine = combine
        self.completion = completion
    }

    package func add(_ count: Int) {
        let sum = state.withLock { state -> Int? in
            state.count = combine(state.count, count)
            state.pending -= 1
            return state.pending == 0 ? state.count : nil
        }
        if let sum { completion(sum) }
    }
}
