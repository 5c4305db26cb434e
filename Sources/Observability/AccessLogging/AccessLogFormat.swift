/// How lines of the access log are written.
public enum AccessLogFormat: String, Sendable, CaseIterable {
    /// `key=value` pairs, as in the other log.
    case text
    /// An object per line.
    case json
    /// The combined log format of Apache and nginx, which most analysers read; it has no place for outcome and reason.
    case combined
}
