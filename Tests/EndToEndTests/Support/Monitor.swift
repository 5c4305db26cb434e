import Glibc

/// What went wrong in the harness itself, in a sentence.
struct HarnessError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A value several threads change and wait upon.
final class Monitor<Value: Sendable>: @unchecked Sendable {  // The mutex guards the value.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        // The wall clock may be set while somebody waits.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// The value as it is now.
    var current: Value { update { $0 } }

    /// Changes the value and wakes whoever waits.
    @discardableResult
    func update<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return try body(&value)
    }

    /// Waits until `found` finds something in the value; throws after `seconds`.
    func wait<R>(_ what: String, seconds: Int = 120 * Sanitizer.patience, until found: (Value) -> R?) throws -> R {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += seconds
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = found(value) { return result }
            if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT {
                throw HarnessError("waited \(seconds) s in vain for \(what); state: \(value)")
            }
        }
    }
}

/// Something that happens once: threads wait for it.
struct Gate: Sendable {
    private let opened = Monitor(false)

    func open() { opened.update { $0 = true } }

    func wait(_ what: String = "a gate", seconds: Int = 120 * Sanitizer.patience) throws {
        try opened.wait(what, seconds: seconds) { $0 ? () : nil }
    }
}

/// Something that is counted: threads wait for a number.
struct Tally: Sendable {
    private let count = Monitor(0)

    var value: Int { count.current }

    @discardableResult
    func add() -> Int {
        count.update {
            $0 += 1
            return $0
        }
    }

    func wait(for number: Int, _ what: String = "a tally", seconds: Int = 120 * Sanitizer.patience) throws {
        try count.wait("\(what) to reach \(number)", seconds: seconds) { $0 >= number ? () : nil }
    }
}
