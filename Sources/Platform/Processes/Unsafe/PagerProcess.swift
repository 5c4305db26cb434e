import CLinux
import LibC
import Locking

/// A program that shows text of this process page by page, on the same terminal.
public final class PagerProcess: Sendable {
    private let number: pid_t
    /// Where it reads from; nil once it has all.
    private let pipe: Lock<FileDescriptor?>

    /// Starts a shell's command.
    ///
    /// From then on, this process ignores the terminal's signals: they are for the pager.
    /// - Parameter state: the signal mask and limits for the program.
    public init(_ command: String, environment: ProcessEnvironment, state: ProcessState) throws(SystemError) {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError(errno) }
        let reading = FileDescriptor(adopting: ends[0])
        pipe = Lock(FileDescriptor(adopting: ends[1]))
        let words = ["/bin/sh", "-c", command].map { Array($0.utf8) }
        number = try state.start(words, environment, input: reading.number, signalAtParentsEnd: 0)
        Signal.ignoreBrokenPipes()
        respite_ignore_signal(SIGINT)
        respite_ignore_signal(SIGQUIT)
    }

    /// Writes all bytes; blocks.
    ///
    /// - Returns: false if the pager reads no more.
    public func write(_ bytes: [UInt8]) -> Bool {
        guard let pipe = pipe.withLock({ $0 }) else { return false }
        return SystemOutput.write(bytes[...], to: pipe.number)
    }

    /// Tells the pager that this is all, and blocks until it has ended.
    ///
    /// - Returns: false if the shell could not start it.
    public func finish() -> Bool {
        close()
        var status: Int32 = 0
        while unsafe waitpid(number, &status, 0) < 0, errno == EINTR {}
        return ![126, 127].contains(ChildProcess.Ending(status: status).exitCode)
    }

    /// Closes the pipe, by releasing the last reference to it.
    private func close() { pipe.withLock { $0 = nil } }
}
