public import Platform

/// A file that lines of the access log are appended to, on a thread of its own.
public final class AccessLogFile: Sendable {
    private let file: AppendedFile
    private let writer: LogWriter

    /// Opens the file, or makes it.
    ///
    /// - Parameters:
    ///   - waitingLimit: the most bytes of lines that may wait for a slow disk or reader.
    ///   - log: gets a line when lines are lost.
    public init(path: String, waitingLimit: Int, log: Logger) throws(SystemError) {
        let file = try AppendedFile(path: path)
        self.file = file
        writer = LogWriter(
            descriptor: file.number,
            limit: waitingLimit,
            // It keeps the file open as long as the thread runs.
            failure: { [file] error in log.error("access log not written", ["file": file.path, "reason": error.reason])
            },
            notice: { count in
                log.warning(
                    "access log lines were dropped: the disk or their reader was too slow",
                    ["file": path, "lines": count, "setting": "log.queue-size"]
                )
                return []
            }
        )
    }

    public var path: String { file.path }

    /// Accepts a line with its end; never waits for the disk.
    public func write(_ line: [UInt8]) { writer.write(line, isUrgent: false) }

    /// Waits until all accepted lines are written, but no longer than a second.
    func flush() { writer.flush(within: .seconds(1)) }

    /// Opens the path again, after its file was renamed.
    ///
    /// Lines accepted before go to the old file unless the disk takes more than a second for them.
    public func reopen() throws(SystemError) {
        flush()
        try file.reopen()
        writer.noteReopening()
    }

    /// Lines dropped since it was opened.
    public var lostLines: Int { writer.lostLines }

    /// Bytes of lines that wait for the disk.
    public var waitingBytes: Int { writer.waitingBytes }

    /// The most bytes of lines that may wait.
    public var waitingLimit: Int {
        get { writer.waitingLimit }
        set { writer.waitingLimit = newValue }
    }

    /// Writes what waits, and ends the thread; nobody may write any more.
    ///
    /// - Parameter limit: how long a slow disk or reader has for that; after it, the thread is left to itself.
    public func close(within limit: Duration = .seconds(5)) {
        if writer.flush(within: limit) { writer.stop() } else { writer.abandon() }
    }
}
