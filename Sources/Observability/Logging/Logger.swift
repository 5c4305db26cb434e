import Synchronization

/// Writes events as lines, from any thread, each line by one call of its output.
///
/// A message is a constant sentence; what varies goes into the values. Never give it credentials or content.
public final class Logger: Sendable {
    private let threshold: Atomic<Int>
    private let isJSON: Atomic<Bool>
    private let output: @Sendable ([UInt8]) -> Void
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - level: the least important level that is written.
    ///   - output: gets each line with its end; called on the thread that logs.
    ///   - clock: milliseconds since 1970 UTC.
    public init(
        level: LogLevel = .info,
        format: LogFormat = .text,
        output: @escaping @Sendable ([UInt8]) -> Void = { StandardError.write($0) },
        clock: @escaping @Sendable () -> Int64 = { Logger.wallMilliseconds }
    ) {
        threshold = Atomic(level.rank)
        isJSON = Atomic(format == .json)
        self.output = output
        self.clock = clock
    }

    /// Writes nothing.
    package static let silent = Logger(level: .error, output: { _ in })

    /// The wall clock, in milliseconds since 1970 UTC.
    public static var wallMilliseconds: Int64 { WallClock.milliseconds() }

    /// The least important level that is written; may change at any time.
    public var level: LogLevel {
        get { LogLevel.allCases.last { $0.rank <= threshold.load(ordering: .relaxed) } ?? .error }
        set { threshold.store(newValue.rank, ordering: .relaxed) }
    }

    /// How lines are written; may change at any time.
    public var format: LogFormat {
        get { isJSON.load(ordering: .relaxed) ? .json : .text }
        set { isJSON.store(newValue == .json, ordering: .relaxed) }
    }

    public func error(
        _ message: StaticString,
        _ values: @autoclosure () -> KeyValuePairs<StaticString, any LogValue> = [:]
    ) { log(.error, message, values()) }

    public func warning(
        _ message: StaticString,
        _ values: @autoclosure () -> KeyValuePairs<StaticString, any LogValue> = [:]
    ) { log(.warning, message, values()) }

    public func info(
        _ message: StaticString,
        _ values: @autoclosure () -> KeyValuePairs<StaticString, any LogValue> = [:]
    ) { log(.info, message, values()) }

    public func debug(
        _ message: StaticString,
        _ values: @autoclosure () -> KeyValuePairs<StaticString, any LogValue> = [:]
    ) { log(.debug, message, values()) }

    /// Writes a line if `level` is important enough; `values` are not made otherwise.
    public func log(
        _ level: LogLevel,
        _ message: StaticString,
        _ values: @autoclosure () -> KeyValuePairs<StaticString, any LogValue> = [:]
    ) {
        guard level.rank <= threshold.load(ordering: .relaxed) else { return }
        output(LogLine(milliseconds: clock(), level: level, message: message, values: values()).octets(format: format))
    }

    /// Writes a line that somebody has asked for, whatever the level.
    public func tell(_ message: StaticString, _ values: KeyValuePairs<StaticString, any LogValue>) {
        output(LogLine(milliseconds: clock(), level: .info, message: message, values: values).octets(format: format))
    }

    /// Writes a finished line, such as one of the access log, whatever the level.
    public func write(line: [UInt8]) { output(line) }
}
