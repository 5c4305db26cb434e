import CLinux
import Glibc
import TestSupport

/// A process that was started, its output collected as it comes.
final class Command: Sendable {
    /// What became of a process.
    struct Outcome: Sendable {
        /// The exit code; 128 plus the signal's number for one that was killed.
        var status: Int32
        var output: String
        var errors: String
    }

    let pid: pid_t
    private let output = SharedValue("")
    private let errors = SharedValue("")
    /// While true nothing is read of standard error.
    private let isStalled = SharedValue(false)
    private let status = SharedValue<Int32?>(nil)
    private let readers: [BackgroundThread]

    /// Starts a program with these words and, beyond a bare minimum, these variables.
    ///
    /// It has `inherited` as its descriptor 3.
    init(_ words: [String], environment: [String] = [], inherited: Int32? = nil) throws {
        var outputPipe: [Int32] = [0, 0]
        var errorPipe: [Int32] = [0, 0]
        guard pipe2(&outputPipe, O_CLOEXEC) == 0, pipe2(&errorPipe, O_CLOEXEC) == 0 else {
            throw HarnessError("pipe: errno \(errno)")
        }
        let pid = spawn(words, environment, output: outputPipe[1], errors: errorPipe[1], inherited: inherited)
        close(outputPipe[1])
        close(errorPipe[1])
        readers = [
            collect(outputPipe[0], into: output, unless: SharedValue(false)),
            collect(errorPipe[0], into: errors, unless: isStalled),
        ]
        guard let pid else { throw HarnessError("cannot start \(words)") }
        self.pid = pid
        let status = status
        let errors = errors
        _ = BackgroundThread {
            var raw: Int32 = 0
            while waitpid(pid, &raw, 0) < 0 && errno == EINTR {}
            let exited = raw & 0x7F == 0
            status.update { [raw] in $0 = exited ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F) }
            errors.update { _ in }
        }
    }

    /// Runs a program to its end.
    @discardableResult
    static func run(
        _ words: [String],
        environment: [String] = [],
        seconds: Int = 120 * Sanitizer.patience
    ) throws -> Outcome {
        try Command(words, environment: environment).wait(seconds: seconds)
    }

    /// What it has written to standard error so far.
    var standardError: String { errors.current }

    /// Reads standard error no more, as somebody does who has stopped a pager; one piece may still be taken.
    func stallErrors() { isStalled.update { $0 = true } }

    /// Reads it again.
    func readErrors() { isStalled.update { $0 = false } }

    func send(signal: Int32) { Glibc.kill(pid, signal) }

    /// Whether the process is still there.
    var isRunning: Bool { status.current == nil }

    /// Waits for the end; throws if a sanitizer found something.
    func wait(seconds: Int = 120 * Sanitizer.patience) throws -> Outcome {
        let code = try status.wait("process \(pid) to end", seconds: seconds) { $0 }
        for reader in readers { try reader.join(seconds: seconds) }
        if let report = Sanitizer.report(in: errors.current) { throw HarnessError(report) }
        return Outcome(status: code, output: output.current, errors: errors.current)
    }

    /// Waits for the end, whatever is still to be read; the exit code.
    func waitForEnd() throws -> Int32 { try status.wait("process \(pid) to end") { $0 } }

    /// Waits until standard output holds what `found` looks for.
    func waitForOutput<R: Sendable>(_ what: String, _ found: (String) -> R?) throws -> R {
        try output.wait(what) { text in found(text) }
    }

    /// Waits until standard error holds what `found` looks for; throws if the process ends without it.
    func waitForError<R: Sendable>(_ what: String, _ found: (String) -> R?) throws -> R {
        let result = try errors.wait(what) { text -> Result<R, HarnessError>? in
            if let result = found(text) { return .success(result) }
            return isRunning ? nil : .failure(HarnessError("no \(what); the process said: \(text)"))
        }
        return try result.get()
    }
}

private func collect(
    _ descriptor: Int32,
    into text: SharedValue<String>,
    unless isStalled: SharedValue<Bool>
) -> BackgroundThread {
    BackgroundThread {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            try? isStalled.wait("errors to be read again") { $0 ? nil : () }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
            let piece = String(decoding: buffer[..<count], as: UTF8.self)
            text.update { $0 += piece }
        }
        close(descriptor)
    }
}

private func spawn(
    _ words: [String],
    _ environment: [String],
    output: Int32,
    errors: Int32,
    inherited: Int32?
) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    if let inherited { posix_spawn_file_actions_adddup2(&actions, inherited, 3) }
    // The program must not inherit this: threads of the pool that tests run on block signals, and loops ignore SIGPIPE.
    // A shell that runs the tests in the background has others ignored.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGINT, SIGHUP, SIGQUIT, SIGTSTP] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let path = ["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C.UTF-8"]
    var arguments = words.map { strdup($0) } + [nil]
    var variables = (path + environment).map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var pid: pid_t = 0
    return posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, &variables) == 0 ? pid : nil
}
