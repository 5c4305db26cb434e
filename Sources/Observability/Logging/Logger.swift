public import Platform
import Synchronization

/// Writes events as lines, each by one call of its output; safe from any thread.
///
/// A message is a constant sentence; the values are the variable parts. Never pass credentials or content.
public final class Logger: Sendable {
    private let threshold: Atomic<Int>
    private let current: CurrentFormat
    /// The queue of lines; nil if the caller gave `output`.
    private let writer: LogWriter?
    private let output: @Sendable ([UInt8]) -> Void
    /// Whether lines are entries of the journal.
    private let isJournal: Bool
    private let clock: @Sendable () -> Int64
    /// The latest lines, for operators who look at a daemon from outside.
    public let recent: RecentLines

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
        current = CurrentFormat(format)
        writer = nil
        isJournal = false
        self.output = output
        self.clock = clock
        recent = RecentLines(from: Self.wallMilliseconds * 1000)
    }

    /// Writes lines to a descriptor on a thread of its own, so that threads that log never wait for the reader.
    ///
    /// - Parameters:
    ///   - waitingLimit: the most bytes of lines that may wait for the reader; further lines are dropped, counted and
    ///     reported.
    ///   - descriptor: standard error, except in tests.
    ///   - journal: gets the lines with their values as fields; the descriptor gets lines that it does not accept.
    public init(
        level: LogLevel,
        format: LogFormat,
        waitingLimit: Int,
        descriptor: Int32 = 2,
        journal: JournalSocket? = nil
    ) {
        threshold = Atomic(level.rank)
        let current = CurrentFormat(format)
        self.current = current
        isJournal = journal != nil
        let writer =
            if let journal {
                LogWriter(
                    descriptor: descriptor,
                    limit: waitingLimit,
                    output: { JournalEntry.write($0, by: journal, or: $1) },
                    notice: { Self.notice(ofDropped: $0).journalBytes(format: current.format) }
                )
            } else {
                LogWriter(descriptor: descriptor, limit: waitingLimit) {
                    Self.notice(ofDropped: $0).bytes(format: current.format)
                }
            }
        self.writer = writer
        output = { writer.write($0) }
        clock = { Self.wallMilliseconds }
        recent = RecentLines(from: Self.wallMilliseconds * 1000)
    }

    private static func notice(ofDropped count: Int) -> LogLine {
        LogLine(
            milliseconds: wallMilliseconds,
            level: .warning,
            message: "log lines were dropped: their reader was too slow",
            values: ["lines": count, "setting": "log.queue-size"]
        )
    }

    /// Writes nothing.
    package static let silent = Logger(level: .error, output: { _ in })

    /// The wall clock, in milliseconds since 1970 UTC.
    public static var wallMilliseconds: Int64 { SystemClock.wallMilliseconds() }

    /// The least important level that is written; it may change at any time.
    public var level: LogLevel {
        get { LogLevel.allCases.last { $0.rank <= threshold.load(ordering: .relaxed) } ?? .error }
        set { threshold.store(newValue.rank, ordering: .relaxed) }
    }

    /// How lines are written; it may change at any time.
    public var format: LogFormat {
        get { current.format }
        set { current.format = newValue }
    }

    /// The most bytes of lines that may wait for their reader; it may change at any time.
    public var waitingLimit: Int {
        get { writer?.waitingLimit ?? 0 }
        set { writer?.waitingLimit = newValue }
    }

    /// Bytes of lines that wait for their reader.
    public var waitingBytes: Int { writer?.waitingBytes ?? 0 }

    /// Lines dropped since the start because their reader was too slow or gone.
    public var lostLines: Int { writer?.lostLines ?? 0 }

    /// Waits until all lines are written, but no longer than `bound`; for the end of the process.
    public func flush(within bound: Duration) { writer?.flush(within: bound) }

    /// Delays a crash until all lines are written, for one logger of a process.
    public func flushAtCrash() { if let writer { CrashFlush.install(writer) } }

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

    /// Writes a line if `level` is important enough; only then evaluates `values`.
    public func log(
        _ level: LogLevel,
        _ message: StaticString,
        _ values: @autoclosure () -> KeyValuePairs<StaticString, any LogValue> = [:]
    ) {
        guard level.rank <= threshold.load(ordering: .relaxed) else { return }
        write(LogLine(milliseconds: clock(), level: level, message: message, values: values()))
    }

    /// Writes a requested line, at any level.
    public func always(_ message: StaticString, _ values: KeyValuePairs<StaticString, any LogValue>) {
        write(LogLine(milliseconds: clock(), level: .info, message: message, values: values))
    }

    private func write(_ line: LogLine) {
        let text = line.text
        recent.add(line.milliseconds, line.level, text)
        if isJournal { return output(line.journalBytes(format: format)) }
        output(format == .text ? line.textBytes(text) : line.bytes(format: .json))
    }

    /// Writes a finished line of the access log, at any level; it may wait a moment for others.
    public func write(line: [UInt8]) {
        let line = isJournal ? JournalEntry.access(line) : line
        if let writer { writer.write(line, isUrgent: false) } else { output(line) }
    }
}

/// The format of lines.
private final class CurrentFormat: Sendable {
    private let isJSON: Atomic<Bool>

    init(_ format: LogFormat) { isJSON = Atomic(format == .json) }

    var format: LogFormat {
        get { isJSON.load(ordering: .relaxed) ? .json : .text }
        set { isJSON.store(newValue == .json, ordering: .relaxed) }
    }
}
