import CLinux
import LibC
import Synchronization

/// Delays a crash until the log's lines are written: the last ones may show the cause.
///
/// The handler neither locks nor allocates. It polls the count of unwritten bytes, which the writer's thread reduces,
/// and sleeps for a millisecond at a time. After five seconds the process ends, even if lines are left.
enum CrashFlush {
    private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT]
    /// Never released, since a crash may happen at any time.
    nonisolated(unsafe) private static var writer: Unmanaged<LogWriter>?
    /// The handlers that were installed before, by the signal's number.
    nonisolated(unsafe) private static var previous: UnsafeMutablePointer<sigaction>?

    static func install(_ writer: LogWriter) {
        guard unsafe previous == nil else { return }
        unsafe Self.writer = Unmanaged.passRetained(writer)
        let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        unsafe actions.initialize(repeating: sigaction(), count: 65)
        unsafe previous = actions
        for number in signals {
            unsafe respite_on_crash(
                number,
                { number, info, _ in unsafe CrashFlush.crashed(number, info) },
                actions + Int(number)
            )
        }
    }

    fileprivate static func crashed(_ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?) {
        if let writer = unsafe writer {
            unsafe writer._withUnsafeGuaranteedRef { wait($0) }
        }
        guard let previous = unsafe previous else { return }
        unsafe sigaction(number, previous + Int(number), nil)
        // A processor fault happens again when the handler returns; a signal that was sent does not, so it is raised
        // again.
        if let info = unsafe info, unsafe info.pointee.si_code > 0 { return }
        raise(number)
    }

    private static func wait(_ writer: LogWriter) {
        guard !writer.isOwnThread else { return }
        var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
        for _ in 0..<5000 where writer.unwritten.load(ordering: .acquiring) > 0 { unsafe nanosleep(&pause, nil) }
    }
}
