import Glibc

/// A value that only one thread at a time can see.
///
/// Over a heap `pthread_mutex_t`, which ThreadSanitizer understands, as it does not `Synchronization.Mutex`.
/// Not recursive. Hold it for a look-up or a state change only: never across a callback, a log line or I/O.
@safe
public struct Lock<Value>: ~Copyable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    public init(_ initial: Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe value = .allocate(capacity: 1)
        unsafe value.initialize(to: initial)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deinitialize(count: 1)
        unsafe mutex.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Runs `body` with the value while no other thread does.
    public borrowing func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return unsafe try body(&value.pointee)
    }
}

// The mutex makes it true.
extension Lock: @unchecked Sendable where Value: Sendable {}
