import Glibc

/// Threads of their own: those of the concurrency runtime are no more than the processors.
enum Threads {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Calls `body` with 0, 1 … on `count` threads at once; returns when all have ended.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let threads = (0..<count).map { number in
            var thread = pthread_t()
            let work = Unmanaged.passRetained(Work { body(number) })
            let error = pthread_create(
                &thread,
                nil,
                { work in
                    if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                    return nil
                },
                work.toOpaque()
            )
            precondition(error == 0, "no thread: \(error)")
            return thread
        }
        for thread in threads { pthread_join(thread, nil) }
    }
}
