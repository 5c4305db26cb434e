import CLinux
import Glibc

/// A thread outside the pool that tests run on, so that it may block.
///
/// Unlike a `Platform.Thread` it blocks no signals: programs that it starts inherit its mask.
public struct BackgroundThread: Sendable {
    private let hasEnded = Gate()

    /// Starts the thread.
    @discardableResult
    public init(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = hasEnded
        let box = Unmanaged.passRetained(
            Work {
                body()
                hasEnded.open()
            }
        )
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 512 * 1024)
        var thread = pthread_t()
        let result = pthread_create(&thread, &attributes, runWork, box.toOpaque())
        pthread_attr_destroy(&attributes)
        if result != 0 {
            box.release()
            fatalError("pthread_create: \(result)")
        }
    }

    /// Waits until the thread has ended.
    public func join(seconds: Int = 120 * Sanitizer.patience) throws {
        try hasEnded.wait("a thread to end", seconds: seconds)
    }
}

private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runWork(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context {
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
    }
    return nil
}

/// Runs `body` once for each number below `count`, all at the same time on threads of their own, and returns the
/// results.
@discardableResult
public func concurrently<T: Sendable>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) throws -> T
) throws -> [T] {
    let pending = (0..<count).map { Pending(index: $0, body) }
    return try pending.map { try $0.result() }
}

/// The result of work on another thread.
public struct Pending<T: Sendable>: Sendable {
    private let outcome = SharedValue<Result<T, any Error>?>(nil)

    public init(_ body: @escaping @Sendable () throws -> T) {
        let outcome = outcome
        BackgroundThread {
            let result = Result { try body() }
            outcome.update { $0 = result }
        }
    }

    public init(index: Int, _ body: @escaping @Sendable (Int) throws -> T) {
        self.init { try body(index) }
    }

    /// Waits for the result.
    public func result(seconds: Int = 120 * Sanitizer.patience) throws -> T {
        try outcome.wait("the result of a thread", seconds: seconds) { $0 }.get()
    }
}
