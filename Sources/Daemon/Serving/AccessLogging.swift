import Locking
import Observability
import Platform
import Proxying
import Settings
import Synchronization

/// Opens, reopens and closes the file of the access log.
///
/// A file that cannot be opened costs log lines, not requests. The daemon serves and warns. It tries again on SIGUSR2
/// and at a reload.
final class AccessLogging: Sendable {
    private struct State {
        var file: AccessLogFile?
        /// Why lines do not go to the file that the settings name.
        var fault: String?
        /// Files that loops may still write to.
        var retired: [AccessLogFile] = []
        /// Lines that files dropped which are closed now.
        var lostLines = 0

        /// Lines that all files dropped.
        var allLostLines: Int { (retired + [file].compactMap { $0 }).reduce(lostLines) { $0 + $1.lostLines } }
    }

    private let log: Logger
    private let state = Lock(State())
    /// Lines for which there was no file.
    private let lost = Atomic(0)

    init(log: Logger) { self.log = log }

    /// Why lines do not go to the file that the settings name; nil if they do, or it names none.
    var fault: String? { state.withLock { $0.fault } }

    /// Lines dropped since the start: no file took them, or the disk was too slow.
    var lostLines: Int { lost.load(ordering: .relaxed) + state.withLock(\.allLostLines) }

    /// Registers its metrics.
    func register(in registry: MetricsRegistry) {
        registry.counter(
            "respite_access_log_dropped_lines_total",
            "Lines of log.access-file that were dropped: it could not be written, or not fast enough."
        ) { [self] in lostLines }
        registry.gauge("respite_access_log_waiting_bytes", "Bytes of lines that wait for log.access-file.") { [self] in
            state.withLock { $0.file }?.waitingBytes ?? 0
        }
    }

    /// The options of the access log; opens its file, or opens it again.
    ///
    /// Blocks. Once they are in force on all loops, call `closeRetired()`.
    func options(_ settings: LogSettings) -> AccessLog? {
        let path = settings.access ? settings.accessFile : nil
        let file = use(path, waitingLimit: settings.queueSize.bytes)
        guard settings.access else { return nil }
        let output: @Sendable ([UInt8]) -> Void =
            if let file {
                { file.write($0) }
            } else if path == nil {
                { [log] in log.write(line: $0) }
            } else {
                { [self] _ in lost.add(1, ordering: .relaxed) }
            }
        return AccessLog(
            format: settings.accessFormat ?? (settings.format == .json ? .json : .text),
            secrets: SecretParameters(settings.secretParameters),
            sample: settings.accessSample,
            output: output
        )
    }

    /// Uses the file at `path` from now on, or none.
    private func use(_ path: String?, waitingLimit: Int) -> AccessLogFile? {
        let old = state.withLock { $0.file }
        if let old, old.path == path {
            old.waitingLimit = waitingLimit
            reopen(old)
            return old
        }
        let (file, fault) = open(path, waitingLimit)
        state.withLock { state in
            state.file = file
            state.fault = fault
            if let old { state.retired.append(old) }
        }
        return file
    }

    private func open(_ path: String?, _ waitingLimit: Int) -> (AccessLogFile?, fault: String?) {
        guard let path else { return (nil, nil) }
        do throws(SystemError) {
            return (try AccessLogFile(path: path, waitingLimit: waitingLimit, log: log), nil)
        } catch {
            let fault = "no request is logged: \(error); mend `log.access-file` or the file, and reload"
            log.error("access log", ["reason": fault])
            return (nil, fault)
        }
    }

    /// Whether there are files that no loop will use once the latest options are in force.
    var hasRetired: Bool { state.withLock { !$0.retired.isEmpty } }

    /// Closes the files that no loop uses any more; blocks.
    func closeRetired() {
        let retired = state.withLock { $0.retired }
        for file in retired { file.close() }
        state.withLock { state in
            // Another thread may have closed some of them, too.
            let closed = state.retired.filter { file in retired.contains { $0 === file } }
            state.retired.removeAll { file in retired.contains { $0 === file } }
            state.lostLines += closed.reduce(0) { $0 + $1.lostLines }
        }
    }

    /// Opens a file again; returns whether that was possible.
    @discardableResult
    private func reopen(_ file: AccessLogFile) -> Bool {
        do throws(SystemError) {
            try file.reopen()
            state.withLock { $0.fault = nil }
            return true
        } catch {
            let fault = "requests are logged to a file that was renamed: \(error); mend it, and reload"
            log.error("access log", ["reason": fault])
            state.withLock { $0.fault = fault }
            return false
        }
    }

    /// Writes what waits, and closes all files; the loops have ended.
    func stop() {
        state.withLock { state in
            if let file = state.file.take() { state.retired.append(file) }
        }
        closeRetired()
    }
}
