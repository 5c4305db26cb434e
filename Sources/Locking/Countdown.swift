/// Tells when all of several things are done; safe from any thread.
package final class Countdown: Sendable {
    private let left: Lock<Int>
    private let done: @Sendable () -> Void

    /// - Parameter done: called inside the last `arrive`, or at once if there is nothing to wait for.
    package init(_ count: Int, done: @escaping @Sendable () -> Void) {
        left = Lock(count)
        self.done = done
        if count == 0 { done() }
    }

    /// One is done.
    package func arrive() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { done() }
    }
}
