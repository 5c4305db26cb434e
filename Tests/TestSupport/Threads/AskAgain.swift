import Platform

/// Asks another process again, after a pause, until its answer is the wanted one, and returns that.
///
/// Only for what that process reports when asked, and never announces. Examples are a counter of a daemon, a file that
/// it writes in its own time, and what a Redis node knows of its cluster. Everything else wakes the test: output,
/// sockets, threads, doubles. The pauses only spare the process. No result depends on their length.
///
/// - Parameter what: for the error that is thrown after 2,000 questions, in about two minutes; under a sanitizer later.
///   The error has the last answer, too.
@discardableResult
public func askAgain<Answer>(
    for what: String,
    _ ask: () throws -> Answer,
    until isWanted: (Answer) -> Bool
) throws -> Answer {
    var milliseconds = 1
    var last: Answer?
    for _ in 0..<2_000 * Sanitizer.patience {
        let answer = try ask()
        if isWanted(answer) { return answer }
        last = answer
        Thread.pause(for: .milliseconds(milliseconds))
        milliseconds = min(milliseconds * 2, 64)
    }
    let text = last.map { String(describing: $0) } ?? "none"
    throw HarnessError("asked in vain for \(what); the last answer: \(text)")
}
