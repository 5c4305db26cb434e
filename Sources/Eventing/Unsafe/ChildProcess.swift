import CLinux
import Glibc
import HTTPCore

/// A program that runs in the place of this process: with its terminal, standard streams and process group.
///
/// Made and waited for on one thread, whose end sends the program SIGTERM: if this process is killed, so is the program.
public final class ChildProcess {
    /// How a program ended.
    public enum Ending: Sendable, Equatable {
        case exited(Int32)
        /// By a signal of this number.
        case killed(Int32)

        /// What a shell would say: 128 and the signal's number where it was one.
        public var exitCode: Int32 {
            switch self {
            case .exited(let code): code
            case .killed(let number): 128 + number
            }
        }
    }

    /// The signals a person or a service manager sends to whoever they see.
    private static let passedOn = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]

    private let number: pid_t

    /// Starts a program, found by `PATH` unless its name has a slash.
    ///
    /// - Parameters:
    ///   - words: its name and arguments.
    ///   - environment: all of its variables.
    ///   - state: what it finds of signals and limits.
    public init(
        _ words: [[UInt8]],
        environment: ProcessEnvironment,
        state: ProcessState
    ) throws(SystemError) {
        number = try state.start(words, environment, output: -1, farewell: SIGTERM)
    }

    /// Has signals wait for `wait` instead of ending this process, on this thread and those it starts from now on.
    public static func holdSignals() {
        // A parent that ignores the end of children would leave nothing to wait for.
        _ = signal(SIGCHLD, SIG_DFL)
        var set = heldSignals
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// The number of a signal that came meanwhile, once.
    public static func heldSignal() -> Int32? {
        var set = heldSignals
        unsafe sigdelset(&set, SIGCHLD)
        var now = timespec()
        let signal = unsafe sigtimedwait(&set, nil, &now)
        return signal > 0 ? signal : nil
    }

    private static var heldSignals: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in passedOn + [SIGCHLD] { unsafe sigaddset(&set, number) }
        return set
    }

    /// Blocks until the program has ended; signals that others send to this process are passed on to it.
    ///
    /// Those of the terminal went to the whole group, hence to the program, by themselves.
    public func wait() -> Ending {
        var set = Self.heldSignals
        while true {
            if let ending = ending() { return ending }
            var info = unsafe siginfo_t()
            let signal = unsafe sigwaitinfo(&set, &info)
            // What the kernel sends has a positive code.
            if signal > 0, signal != SIGCHLD, unsafe info.si_code <= 0 { _ = kill(number, signal) }
        }
    }

    private func ending() -> Ending? {
        var status: Int32 = 0
        guard unsafe waitpid(number, &status, WNOHANG) == number else { return nil }
        return Self.ending(of: status)
    }

    static func ending(of status: Int32) -> Ending {
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
    }
}

/// What programs that this process starts find of signals and limits: what this process itself found at its start.
public struct ProcessState: Sendable {
    private let blocked: sigset_t
    private let ignoresPipes: Bool
    private let descriptors: rlimit

    /// Of now; to be called before this process makes anything of it its own.
    public init() {
        var blocked = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &blocked)
        self.blocked = blocked
        var action = sigaction()
        ignoresPipes =
            unsafe sigaction(SIGPIPE, nil, &action) == 0
            && (unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)) == 1
        var descriptors = rlimit()
        _ = unsafe getrlimit(Int32(RLIMIT_NOFILE.rawValue), &descriptors)
        self.descriptors = descriptors
    }

    fileprivate func start(
        _ words: [[UInt8]],
        _ environment: ProcessEnvironment,
        output: Int32,
        farewell: Int32
    ) throws(SystemError) -> pid_t {
        var child = respite_child()
        child.blocked = blocked
        child.ignores_pipes = ignoresPipes ? 1 : 0
        child.descriptors = descriptors
        child.farewell = farewell
        child.output = output
        var arguments = unsafe CStrings(words)
        var variables = unsafe CStrings(environment.entries)
        defer {
            unsafe arguments.free()
            unsafe variables.free()
        }
        guard !words.isEmpty else { throw SystemError(EINVAL) }
        var error: Int32 = 0
        let number = unsafe respite_start(&child, &arguments.pointers, &variables.pointers, &error)
        guard number > 0 else { throw SystemError(error) }
        return number
    }

    /// What a program writes to its standard output, to its end; it reads nothing, and what it complains about is lost.
    ///
    /// Blocks until it has ended; one that goes on for longer than `timeout` is killed, and that is an error.
    /// - Parameter limit: bytes beyond are lost.
    public func output(
        of words: [String],
        environment: ProcessEnvironment,
        timeout: Duration,
        limit: Int = 1 << 20
    ) throws(SystemError) -> (ending: ChildProcess.Ending, bytes: [UInt8]) {
        var pipe: [Int32] = [0, 0]
        guard unsafe pipe2(&pipe, O_CLOEXEC) == 0 else { throw SystemError(errno) }
        defer { close(pipe[0]) }
        let number: pid_t
        do throws(SystemError) {
            number = try start(words.map { Array($0.utf8) }, environment, output: pipe[1], farewell: SIGTERM)
            close(pipe[1])
        } catch {
            close(pipe[1])
            throw error
        }
        let end = Clock.monotonic() + timeout
        let bytes = Self.read(pipe[0], limit: limit, until: end)
        guard let bytes, let status = Self.status(of: number, until: end) else {
            kill(number, SIGKILL)
            while waitpid(number, nil, 0) < 0, errno == EINTR {}
            throw SystemError(ETIMEDOUT)
        }
        return (ChildProcess.ending(of: status), bytes)
    }

    /// All that comes from a pipe; nil if that takes too long.
    private static func read(_ descriptor: Int32, limit: Int, until end: MonotonicTime) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let left = end - Clock.monotonic()
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let (seconds, attoseconds) = max(.zero, left).components
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
            let count = unsafe poll(&waiting, 1, Int32(clamping: milliseconds))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            let taken = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if taken < 0, errno == EINTR { continue }
            guard taken > 0 else { return bytes }
            bytes += buffer.prefix(min(taken, max(0, limit - bytes.count)))
        }
    }

    /// How a program ends that has closed its output, which mostly is at once; nil if that takes too long.
    private static func status(of number: pid_t, until end: MonotonicTime) -> Int32? {
        var status: Int32 = 0
        while unsafe waitpid(number, &status, WNOHANG) != number {
            guard Clock.monotonic() < end else { return nil }
            _ = poll(nil, 0, 2)
        }
        return status
    }
}

/// The variables of a process, byte for byte, in their order.
public struct ProcessEnvironment: Sendable, Equatable {
    /// `NAME=value`.
    public private(set) var entries: [[UInt8]]

    public init(entries: [[UInt8]] = []) { self.entries = entries }

    /// Those of this process; not to be called while another thread changes them.
    public static var current: ProcessEnvironment {
        var entries: [[UInt8]] = []
        guard var next = unsafe respite_environment() else { return ProcessEnvironment() }
        while let entry = unsafe next.pointee {
            entries.append(unsafe bytes(of: entry))
            unsafe next += 1
        }
        return ProcessEnvironment(entries: entries)
    }

    public subscript(name: String) -> String? {
        get {
            let start = Array("\(name)=".utf8)
            return entries.first { $0.starts(with: start) }
                .map { String(decoding: $0.dropFirst(start.count), as: UTF8.self) }
        }
        set {
            let start = Array("\(name)=".utf8)
            entries.removeAll { $0.starts(with: start) }
            if let newValue { entries.append(start + Array(newValue.utf8)) }
        }
    }
}

/// The words this process was started with, byte for byte.
public enum ProcessArguments {
    /// The last ones; nil if there are fewer.
    public static func last(_ count: Int) -> [[UInt8]]? {
        let all = Int(CommandLine.argc)
        guard count >= 0, count < all else { return nil }
        let words = unsafe CommandLine.unsafeArgv
        return (all - count..<all).compactMap { index in
            guard let word = unsafe words[index] else { return nil }
            return unsafe bytes(of: word)
        }
    }
}

private func bytes(of text: UnsafeMutablePointer<CChar>) -> [UInt8] {
    let count = unsafe strlen(text)
    return (0..<count).map { unsafe UInt8(bitPattern: text[$0]) }
}

/// Texts as C functions take them: each ends with a zero, the list with no text.
@unsafe
private struct CStrings {
    var pointers: [UnsafeMutablePointer<CChar>?]

    init(_ texts: [[UInt8]]) {
        unsafe pointers =
            texts.map { text in
                let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count + 1)
                for (index, byte) in text.enumerated() { unsafe copy[index] = CChar(bitPattern: byte) }
                unsafe copy[text.count] = 0
                return unsafe copy
            } + [nil]
    }

    func free() { unsafe pointers.forEach { unsafe $0?.deallocate() } }
}
