#if DEBUG
import LibC

/// A value that one thread at a time can use.
///
/// Debug builds use a `pthread_mutex_t` on the heap, since ThreadSanitizer does not understand `Synchronization.Mutex`,
/// which release builds use. It is not recursive. Lock it for a look-up or a state change only: never across a
/// callback, a log line or I/O.
@safe
public struct Lock<Value>: ~Copyable {
    /// One allocation, with the mutex and the value behind it.
    private let memory: UnsafeMutableRawPointer

    private var mutex: UnsafeMutablePointer<pthread_mutex_t> {
        unsafe memory.assumingMemoryBound(to: pthread_mutex_t.self)
    }
    private var value: UnsafeMutablePointer<Value> {
        unsafe (memory + Self.valueOffset).assumingMemoryBound(to: Value.self)
    }
    /// The offset of the value, a multiple of its alignment.
    private static var valueOffset: Int {
        let mask = MemoryLayout<Value>.alignment - 1
        return unsafe (MemoryLayout<pthread_mutex_t>.size + mask) & ~mask
    }

    /// Bytes a lock allocates besides itself.
    public static var allocatedBytes: Int { valueOffset + MemoryLayout<Value>.size }

    public init(_ initial: consuming Value) {
        unsafe memory = .allocate(
            byteCount: Self.valueOffset + MemoryLayout<Value>.size,
            alignment: max(MemoryLayout<Value>.alignment, unsafe MemoryLayout<pthread_mutex_t>.alignment)
        )
        unsafe memory.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
        unsafe (memory + Self.valueOffset).initializeMemory(as: Value.self, to: initial)
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deinitialize(count: 1)
        unsafe value.deinitialize(count: 1)
        unsafe memory.deallocate()
    }

    /// Runs `body` with the value while no other thread does.
    public borrowing func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return unsafe try body(&value.pointee)
    }
}

#else
import Synchronization

/// A value that one thread at a time can use.
///
/// The value is stored inline, without an allocation. It is not recursive. Lock it for a look-up or a state change
/// only: never across a callback, a log line or I/O.
@safe
public struct Lock<Value>: ~Copyable {
    /// Makes the value `Sendable` for the mutex; whether it really is, the conformance of `Lock` checks.
    private struct Guarded<Content>: @unchecked Sendable { var content: Content }

    private let mutex: Mutex<Guarded<Value>>

    /// Bytes a lock allocates besides itself.
    public static var allocatedBytes: Int { 0 }

    public init(_ initial: consuming Value) { mutex = Mutex(Guarded(content: initial)) }

    /// Runs `body` with the value while no other thread does.
    public borrowing func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        try mutex.withLock { (guarded) throws(E) in Guarded(content: try body(&guarded.content)) }.content
    }
}
#endif

// The mutex makes `@unchecked Sendable` true.
extension Lock: @unchecked Sendable where Value: Sendable {}
