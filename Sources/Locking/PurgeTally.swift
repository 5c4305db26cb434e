/// Adds up what several purges removed, and reports the sum once all are done.
package final class PurgeTally: Sendable {
    private let state: Lock<(count: Int, pending: Int)>
    private let completion: @Sendable (Int) -> Void

    package init(count: Int, pending: Int, _ completion: @escaping @Sendable (Int) -> Void) {
        state = Lock((count, pending))
        self.completion = completion
    }

    package func add(_ count: Int) {
        let sum = state.withLock { state -> Int? in
            state.count += count
            state.pending -= 1
            return state.pending == 0 ? state.count : nil
        }
        if let sum { completion(sum) }
    }
}
