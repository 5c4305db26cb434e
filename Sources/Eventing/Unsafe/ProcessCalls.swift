import CLinux
import Glibc

extension Signals {
    /// Writing to a connection that is gone is an error, not the end of the process.
    public static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    /// Has `signals` wait, on this thread, until one that lets them through takes them; one of each kind at most.
    public static func hold(_ signals: [Signal]) { setMask(SIG_BLOCK, signals.map(\.number)) }

    /// Has `signals` end the process at once, with exit code 0, until something else is asked for.
    ///
    /// For a process that has nothing yet to put away.
    public static func endQuietly(at signals: [Signal]) {
        for one in signals { _ = signal(one.number) { _ in _exit(0) } }
        setMask(SIG_UNBLOCK, signals.map(\.number))
    }

    /// Lets signals through to this thread, also where the parent process had them blocked.
    static func letThrough(_ numbers: [Int32]) { setMask(SIG_UNBLOCK, numbers) }

    static func hold(_ numbers: [Int32]) { setMask(SIG_BLOCK, numbers) }

    private static func setMask(_ how: Int32, _ numbers: [Int32]) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(how, &set, nil)
    }
}

/// The process's file descriptors.
public enum Descriptors {
    private static let resource = Int32(RLIMIT_NOFILE.rawValue)

    /// Raises the limit on open descriptors to its hard value.
    ///
    /// - Returns: the limit now in force.
    @discardableResult
    public static func raiseLimit() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// The limit on open descriptors in force.
    public static var limit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Sets the limit on open descriptors, up to its hard value.
    static func setLimit(_ count: Int) {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = rlim_t(count)
        _ = unsafe setrlimit(resource, &limit)
    }

    /// The number the next descriptor would get; nil if there is none left.
    static func nextNumber() -> Int? {
        let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        _ = close(descriptor)
        return Int(descriptor)
    }
}

/// The process's memory.
public enum ProcessMemory {
    // The numbers of <malloc.h>.
    private static let trimThreshold: Int32 = -1
    private static let mappingThreshold: Int32 = -3
    private static let arenaLimit: Int32 = -8

    /// Has the allocator keep little beside what is in use: one arena for two cores instead of eight for each, and large
    /// pieces mapped, hence given back, for themselves, however many there were before.
    ///
    /// What one loop lets go is of no use to another that has an arena of its own; where connections come to one loop and
    /// then to another, that would be a third of all memory.
    ///
    /// For a process that is ours, before it has threads.
    public static func configure() {
        _ = mallopt(arenaLimit, Int32(clamping: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2)))
        _ = mallopt(mappingThreshold, 256 << 10)
        _ = mallopt(trimThreshold, 1 << 20)
    }

    /// Has the busiest 2 MiB of the program's code be one page of memory, where the system allows that.
    ///
    /// For a process that is ours, before it has threads.
    public static func enlargeCodePages() { CodePages.enlarge() }

    /// Gives what was freed back to the system, as far as the allocator can.
    public static func giveBack() { _ = malloc_trim(0) }

    /// The same of what only the start needed, code included; takes a millisecond.
    public static func giveBackStart() {
        giveBack()
        CodePages.giveBack()
    }
}

/// An open descriptor, closed when the last reference goes.
///
/// For files to be sent, and whatever else is shared between threads.
public final class OpenFile: Sendable {
    /// The descriptor, which this object owns.
    public let descriptor: Int32

    /// Takes over an open descriptor.
    public init(adopting descriptor: Int32) { self.descriptor = descriptor }

    /// Opens a file for reading.
    public convenience init(path: String) throws(EventError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let error = SystemError(errno)
            throw EventError(.cannotOpen, "cannot open \(path): \(error)", underlying: error)
        }
        self.init(adopting: descriptor)
    }

    deinit { SocketCalls.close(descriptor) }
}
