import Platform

/// Asks another process again, after a pause, until `find` returns a result.
///
/// Only for what that process reports when asked, and never announces. Examples are a counter of a daemon, a file that
/// it writes in its own time, and what a Redis node knows of its cluster. Everything else wakes the test: output,
/// sockets, threads, doubles. The pauses only spare the process. No result depends on their length.
///
/// - Parameter what: for the error that is thrown after 2,000 questions, in about two minutes; under a sanitizer later.
public func askAgain<R>(for what: String, _ find: () throws -> R?) throws -> R {
    var milliseconds = 1
    for _ in 0..<2_000 * Sanitizer.patience {
        if let result = try find() { return result }
        Thread.pause(for: .milliseconds(milliseconds))
        milliseconds = min(milliseconds * 2, 64)
    }
    throw HarnessError("asked in vain for \(what)")
}
