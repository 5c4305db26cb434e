#if DEBUG
import Glibc

/// A value that only one thread at a time can see.
///
/// Here over a heap `pthread_mutex_t`, which ThreadSanitizer understands, as it does not `Synchronization.Mutex`; release
/// builds have that.
/// Not recursive. Hold it for a look-up or a state change only: never across a callback, a log line or I/O.
@safe
public struct Lock<Value>: ~Copyable {
    /// The mutex, and behind it the value: one allocation.
    private let memory: UnsafeMutableRawPointer

    private var mutex: UnsafeMutablePointer<pthread_mutex_t> {
        unsafe memory.assumingMemoryBound(to: pthread_mutex_t.self)
    }
    private var value: UnsafeMutablePointer<Value> {
        unsafe (memory + Self.valueOffset).assumingMemoryBound(to: Value.self)
    }
    /// A multiple of the value's alignment.
    private static var valueOffset: Int {
        let mask = MemoryLayout<Value>.alignment - 1
        return unsafe (MemoryLayout<pthread_mutex_t>.size + mask) & ~mask
    }

    /// Bytes a lock allocates besides itself.
    public static var allocatedBytes: Int { valueOffset + MemoryLayout<Value>.size }

    public init(_ initial: Value) {
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

/// A value that only one thread at a time can see.
///
/// It lies where the lock does, without an allocation of its own.
/// Not recursive. Hold it for a look-up or a state change only: never across a callback, a log line or I/O.
@safe
public struct Lock<Value>: ~Copyable {
    /// What the mutex asks to be `Sendable`; whether it is, `Lock`'s own conformance says.
    private struct Guarded<Content>: @unchecked Sendable { var content: Content }

    private let mutex: Mutex<Guarded<Value>>

    /// Bytes a lock allocates besides itself.
    public static var allocatedBytes: Int { 0 }

    public init(_ initial: Value) { mutex = Mutex(Guarded(content: initial)) }

    /// Runs `body` with the value while no other thread does.
    public borrowing func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        try mutex.withLock { (guarded) throws(E) in Guarded(content: try body(&guarded.content)) }.content
    }
}
#endif

// The mutex makes it true.
extension Lock: @unchecked Sendable where Value: Sendable {}
