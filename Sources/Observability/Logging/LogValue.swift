/// A value in a log line: text, bytes, a number, a Boolean or a duration.
///
/// Text and bytes may come from a peer; they are escaped when the line is written (H-159).
public protocol LogValue: Sendable {
    var logKind: LogValueKind { get }
}

/// The kinds of log values.
public enum LogValueKind: Sendable {
    case bytes([UInt8])
    case integer(Int64)
    case boolean(Bool)
    /// In seconds.
    case seconds(Double)
}

extension String: LogValue {
    public var logKind: LogValueKind { .bytes(Array(utf8)) }
}

extension Substring: LogValue {
    public var logKind: LogValueKind { .bytes(Array(utf8)) }
}

extension StaticString: LogValue {
    public var logKind: LogValueKind { .bytes(Array(description.utf8)) }
}

extension [UInt8]: LogValue {
    public var logKind: LogValueKind { .bytes(self) }
}

extension Int: LogValue {
    public var logKind: LogValueKind { .integer(Int64(self)) }
}

extension Int32: LogValue {
    public var logKind: LogValueKind { .integer(Int64(self)) }
}

extension Int64: LogValue {
    public var logKind: LogValueKind { .integer(self) }
}

extension UInt16: LogValue {
    public var logKind: LogValueKind { .integer(Int64(self)) }
}

extension Bool: LogValue {
    public var logKind: LogValueKind { .boolean(self) }
}

extension Duration: LogValue {
    public var logKind: LogValueKind { .seconds(inSeconds) }
}

extension Duration {
    /// The duration as a rounded number of seconds.
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
