import CLinux
import LibC

/// The signal mask and limits for child programs, as this process had them when it started.
public struct ProcessState: Sendable {
    private let blocked: sigset_t
    private let ignoresBrokenPipes: Bool
    private let descriptors: rlimit

    /// Reads them.
    ///
    /// Call it before this process changes any of them.
    public init() {
        var blocked = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &blocked)
        self.blocked = blocked
        ignoresBrokenPipes = respite_ignores_signal(SIGPIPE) != 0
        var descriptors = rlimit()
        _ = unsafe getrlimit(respite_descriptor_limit, &descriptors)
        self.descriptors = descriptors
    }

    /// Starts a program and returns its process number.
    ///
    /// - Parameters:
    ///   - input: the descriptor for its standard input; -1: this process's.
    ///   - output: the descriptor for its standard output; its other streams are then /dev/null. -1: it shares this
    ///     process's streams.
    ///   - signal: sent to it when the calling thread ends.
    func start(
        _ words: [[UInt8]],
        _ environment: ProcessEnvironment,
        input: Int32 = -1,
        output: Int32 = -1,
        signalAtParentsEnd signal: Int32
    ) throws(SystemError) -> pid_t {
        var child = respite_child()
        child.blocked = blocked
        child.ignores_pipes = ignoresBrokenPipes ? 1 : 0
        child.descriptors = descriptors
        child.farewell = signal
        child.output = output
        child.input = input
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

    /// Runs a program without input, and returns what it writes to its standard output; blocks.
    ///
    /// Its standard error is discarded.
    /// - Parameters:
    ///   - timeout: how long the program may run; then it is killed, and ETIMEDOUT is thrown.
    ///   - limit: how many bytes of its output to keep.
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
            number = try start(words.map { Array($0.utf8) }, environment, output: pipe[1], signalAtParentsEnd: SIGTERM)
            close(pipe[1])
        } catch {
            close(pipe[1])
            throw error
        }
        let deadline = SystemClock.monotonicNanoseconds() + timeout.limitedNanoseconds
        let bytes = Self.read(pipe[0], limit: limit, until: deadline)
        guard let bytes, let status = Self.status(of: number, until: deadline) else {
            kill(number, SIGKILL)
            while waitpid(number, nil, 0) < 0, errno == EINTR {}
            throw SystemError(ETIMEDOUT)
        }
        return (ChildProcess.Ending(status: status), bytes)
    }

    /// All bytes of a pipe up to its end; nil after the deadline.
    private static func read(_ descriptor: Int32, limit: Int, until deadline: Int64) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let left = max(0, deadline - SystemClock.monotonicNanoseconds())
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&waiting, 1, Int32(clamping: left / 1_000_000))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            let readCount = unsafe LibC.read(descriptor, &buffer, buffer.count)
            if readCount < 0, errno == EINTR { continue }
            guard readCount > 0 else { return bytes }
            bytes += buffer.prefix(min(readCount, max(0, limit - bytes.count)))
        }
    }

    /// The exit status of a program that has closed its output, and so usually ends at once; nil after the deadline.
    private static func status(of number: pid_t, until deadline: Int64) -> Int32? {
        var status: Int32 = 0
        while unsafe waitpid(number, &status, WNOHANG) != number {
            guard SystemClock.monotonicNanoseconds() < deadline else { return nil }
            _ = poll(nil, 0, 2)
        }
        return status
    }
}

/// Strings for C functions: each ends with a zero byte, and the list ends with a null pointer.
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
