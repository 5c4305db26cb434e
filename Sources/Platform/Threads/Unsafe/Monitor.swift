import CLinux
import LibC

/// A value behind a mutex, with a condition variable: threads can wait for a change of the value.
///
/// After a change that others wait for, call `wakeOne()` or `wakeAll()`. If no thread waits for the value, use `Lock`.
@safe
public final class Monitor<Value>: @unchecked Sendable {
    // The mutex guards `value`.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    public init(_ initial: sending Value) {
        value = initial
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // A step of the wall clock must neither end nor prolong a wait.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the value while no other thread does.
    public func withLock<R>(_ body: (inout Value) -> R) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe _ = pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// Wakes one waiting thread, if there is any.
    public func wakeOne() { unsafe _ = pthread_cond_signal(condition) }

    /// Wakes all waiting threads.
    public func wakeAll() { unsafe _ = pthread_cond_broadcast(condition) }

    /// Blocks until `body` returns a result.
    ///
    /// It calls `body` at once, and again each time the thread is woken.
    ///
    /// - Parameters:
    ///   - deadline: called with the value before each wait. It returns the time, on `SystemClock.awakeNanoseconds()`,
    ///     at which `body` runs again without being woken; nil: never.
    ///   - body: like that of `withLock`; returns nil to wait on.
    public func wait<R>(
        wakingAt deadline: (Value) -> Int64? = { _ in nil },
        until body: (inout Value) -> R?
    ) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe _ = pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            if let deadline = deadline(value) {
                var time = timespec()
                time.tv_sec = Int(deadline / 1_000_000_000)
                time.tv_nsec = Int(deadline % 1_000_000_000)
                unsafe pthread_cond_timedwait(condition, mutex, &time)
            } else {
                unsafe pthread_cond_wait(condition, mutex)
            }
        }
    }

    /// Does the same for at most `timeout`.
    ///
    /// - Returns: the result; nil if `body` returned none, even when called once more after the timeout.
    public func wait<R>(for timeout: Duration, until body: (inout Value) -> R?) -> R? {
        let end = SystemClock.awakeNanoseconds() + timeout.limitedNanoseconds
        return wait(wakingAt: { _ in end }) { value -> R?? in
            if let result = body(&value) { return .some(result) }
            return SystemClock.awakeNanoseconds() >= end ? .some(nil) : nil
        }
    }
}
