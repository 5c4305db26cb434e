/// Deadlines of a stream, in nanoseconds of the loop's clock; `.max`: no deadline.
struct StreamDeadlines {
    /// The owner's deadline, or that of a handshake or a lingering close.
    var read = Int64.max
    /// When unsent bytes must have made progress.
    private(set) var send = Int64.max
    /// How long unsent bytes may make no progress.
    var sendTimeout = Int64.max
    /// The stream's node in the loop's wheel; -1 while it has none.
    var node: Int32 = -1

    var earliest: Int64 { min(read, send) }

    /// Whether a deadline for unsent bytes is set.
    var limitsSending: Bool { send != .max }

    mutating func clearSend() { send = .max }

    /// Restarts the time for sending; returns whether there is a limit at all.
    mutating func restartSend(at now: Int64) -> Bool {
        guard sendTimeout != .max else {
            send = .max
            return false
        }
        let (time, overflow) = now.addingReportingOverflow(sendTimeout)
        send = overflow ? .max : time
        return true
    }
}
