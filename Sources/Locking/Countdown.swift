/// Calls back when several operations are all done; safe from any thread.
package final class Countdown: Sendable {
    private let left: Lock<Int>
    private let done: @Sendable () -> Void

    /// - Parameter done: called inside the last `arrive`, or at once if `count` is 0.
    package init(_ count: Int, done: @escaping @Sendable () -> Void) {
        left = Lock(count)
        self.done = done
        if count == 0 { done() }
    }

    /// One operation is done.
    package func arrive() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { done() }
    }
}
