import Locking
import Observability
import Platform
import Proxying
import Settings
import Synchronization

/// Opens, reopens and closes the file of the access log.
///
/// A file that cannot be opened costs log lines, not requests: the daemon serves, warns, and tries again on SIGUSR2 and
/// at a reload.
final class AccessLogging: Sendable {
    private struct State {
        var file: AccessLogFile?
        /// Why there is no file although the settings name one.
        var fault: String?
        /// Files that loops may still write to.
        var retired: [AccessLogFile] = []
    }

    private let log: Logger
    private let state = Lock(State())
    /// Lines that no file took: there was none, or it dropped them and is closed.
    private let lost = Atomic(0)

    init(log: Logger) { self.log = log }

    /// Why the access log is not written; nil if it is, or is not asked for.
    var fault: String? { state.withLock { $0.fault } }

    /// Lines dropped since the start: no file took them, or the disk was too slow.
    var lostLines: Int {
        let files = state.withLock { $0.retired + [$0.file].compactMap { $0 } }
        return files.reduce(lost.load(ordering: .relaxed)) { $0 + $1.lostLines }
    }

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

    /// The options of the access log; opens its file if that is another one than before.
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

    /// Closes the files that no loop uses any more; blocks.
    func closeRetired() {
        let retired = state.withLock { state in
            defer { state.retired = [] }
            return state.retired
        }
        for file in retired {
            file.close()
            lost.add(file.lostLines, ordering: .relaxed)
        }
    }

    /// Opens the file again, after it was renamed; blocks.
    func reopen() {
        guard let file = state.withLock({ $0.file }) else {
            return log.info("access log not reopened: it has no file", ["setting": "log.access-file"])
        }
        do throws(SystemError) {
            try file.reopen()
            log.info("access log reopened", ["file": file.path])
        } catch {
            log.error("access log not reopened; lines go to the file before", ["reason": error.description])
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
