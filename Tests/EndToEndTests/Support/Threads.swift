import CLinux
import Glibc

/// A thread of the harness, outside the pool that tests run on, so that it may block.
struct BackgroundThread: Sendable {
    private let ended = Gate()

    init(_ body: @escaping @Sendable () -> Void) {
        let ended = ended
        let box = Unmanaged.passRetained(
            Work {
                body()
                ended.open()
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

    /// Waits for the thread's end.
    func join(seconds: Int = 120 * Sanitizer.patience) throws {
        try ended.wait("a thread to end", seconds: seconds)
    }
}

private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}

private func runWork(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context {
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
    }
    return nil
}

/// Runs `body` once per number below `count`, each on a thread of its own, and returns what each brought.
func concurrently<T: Sendable>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) throws -> T
) throws -> [T] {
    let pending = (0..<count).map { Pending(index: $0, body) }
    return try pending.map { try $0.result() }
}

/// One result that a thread is working on.
struct Pending<T: Sendable>: Sendable {
    private let outcome = Monitor<Result<T, any Error>?>(nil)

    init(_ body: @escaping @Sendable () throws -> T) {
        let outcome = outcome
        _ = BackgroundThread {
            let result = Result { try body() }
            outcome.update { $0 = result }
        }
    }

    init(index: Int, _ body: @escaping @Sendable (Int) throws -> T) {
        self.init { try body(index) }
    }

    /// Waits for the result.
    func result(seconds: Int = 120 * Sanitizer.patience) throws -> T {
        try outcome.wait("a thread's result", seconds: seconds) { $0 }.get()
    }
}
