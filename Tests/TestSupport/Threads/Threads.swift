import Platform

/// Threads of their own: the concurrency runtime has no more threads than the machine has processors.
public enum Threads {
    /// Calls `body` with 0, 1 … on `count` threads at the same time, and returns when all have ended.
    public static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let threads = (0..<count).map { number in
            do {
                return try Thread(name: "test-\(number)") { body(number) }
            } catch {
                preconditionFailure("\(error)")
            }
        }
        for thread in threads { thread.join() }
    }
}
