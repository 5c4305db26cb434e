/// A value in a log line: text, bytes, a number, a Boolean or a duration.
///
/// Text and bytes may come from a peer; they are escaped when the line is written (H-159).
public protocol LogValue: Sendable {
    var logForm: LogForm { get }
}

/// The kinds of log values.
public enum LogForm: Sendable {
    case bytes([UInt8])
    case integer(Int64)
    case boolean(Bool)
    /// In seconds.
    case seconds(Double)
}

extension String: LogValue {
    public var logForm: LogForm { .bytes(Array(utf8)) }
}

extension Substring: LogValue {
    public var logForm: LogForm { .bytes(Array(utf8)) }
}

extension StaticString: LogValue {
    public var logForm: LogForm { .bytes(Array(description.utf8)) }
}

extension [UInt8]: LogValue {
    public var logForm: LogForm { .bytes(self) }
}

extension Int: LogValue {
    public var logForm: LogForm { .integer(Int64(self)) }
}

extension Int32: LogValue {
    public var logForm: LogForm { .integer(Int64(self)) }
}

extension Int64: LogValue {
    public var logForm: LogForm { .integer(self) }
}

extension UInt16: LogValue {
    public var logForm: LogForm { .integer(Int64(self)) }
}

extension Bool: LogValue {
    public var logForm: LogForm { .boolean(self) }
}

extension Duration: LogValue {
    public var logForm: LogForm { .seconds(inSeconds) }
}

extension Duration {
    /// The duration as a rounded number of seconds.
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
