/// How important a log line is.
public enum LogLevel: String, Sendable, Comparable, CaseIterable {
    /// An operator must act.
    case error
    /// Something failed or was dropped.
    case warning
    /// Start, stop, reload.
    case info
    /// About one line per request.
    case debug

    /// 0 for the most important one.
    var rank: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .info: 2
        case .debug: 3
        }
    }

    /// Less means more important.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}
