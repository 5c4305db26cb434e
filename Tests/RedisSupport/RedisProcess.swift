import CLinux
import Glibc
public import TestSupport

/// A Redis server of a test's own, in a directory of its own; it ends with this object.
public final class RedisProcess: Sendable {
    /// Where it listens beside its Unix socket.
    public enum Port: Sendable {
        case none
        case plain
        case secure(certificate: String, key: String, authority: String)
    }

    public let directory = TemporaryDirectory()
    /// The port on loopback; 0 for none.
    public let port: UInt16
    private let shell: pid_t
    private let lifeline: Int32
    private let output = SharedValue(Output())

    /// What the shell and the server have written.
    private struct Output: Sendable {
        var text = ""
        /// Whether the server has ended, or never began.
        var isComplete = false
    }

    public var socketPath: String { directory.path("redis.sock") }

    /// Starts a server, and waits until it reports that it accepts connections.
    ///
    /// - Parameter arguments: further ones, such as `--maxmemory`, `1mb`.
    public init(_ port: Port = .none, _ arguments: [String] = []) throws {
        let number = if case .none = port { UInt16(0) } else { Self.freePort() }
        self.port = number
        let words =
            [
                "redis-server", "--unixsocket", directory.path("redis.sock"), "--dir", directory.path, "--save", "",
                "--appendonly", "no", "--daemonize", "no", "--logfile", "", "--loglevel", "notice", "--bind",
                "127.0.0.1",
            ] + Self.words(port, number) + arguments
        let (shell, lifeline, descriptor) = try Self.start(words)
        (self.shell, self.lifeline) = (shell, lifeline)
        let output = output
        BackgroundThread { Self.collect(descriptor, into: output) }
        try waitUntilReady()
    }

    deinit {
        // The shell ends the server.
        close(lifeline)
        var status: Int32 = 0
        waitpid(shell, &status, 0)
    }

    private static func words(_ port: Port, _ number: UInt16) -> [String] {
        switch port {
        case .none: ["--port", "0"]
        case .plain: ["--port", "\(number)"]
        case .secure(let certificate, let key, let authority):
            [
                "--port", "0", "--tls-port", "\(number)", "--tls-cert-file", certificate, "--tls-key-file", key,
                "--tls-ca-cert-file", authority, "--tls-auth-clients", "no",
            ]
        }
    }

    /// A port of loopback that nothing listened on a moment ago.
    public static func freePort() -> UInt16 {
        let descriptor = socket(AF_INET, streamType, 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, size)
                _ = getsockname(descriptor, $0, &size)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Ends the server when nothing holds the other end of its standard input any more, however the tests end.
    ///
    /// It closes its own output, so that the pipe ends with the server.
    private static let guardian =
        "\"$@\" </dev/null & echo \"pid $!\"; exec >&- 2>&-; read x; kill -9 $!; wait $!"

    /// Starts a shell that watches over the server; returns its process, what keeps both alive, and what they write.
    private static func start(_ words: [String]) throws -> (shell: pid_t, lifeline: Int32, output: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw HarnessError("pipe: errno \(errno)") }
        defer { close(ends[0]) }
        var outputs: [Int32] = [0, 0]
        guard pipe2(&outputs, O_CLOEXEC) == 0 else {
            close(ends[1])
            throw HarnessError("pipe: errno \(errno)")
        }
        defer { close(outputs[1]) }
        var argv = (["sh", "-c", guardian, "sh"] + words).map { strdup($0) } + [nil]
        defer { for word in argv { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        posix_spawn_file_actions_adddup2(&actions, outputs[1], 1)
        posix_spawn_file_actions_adddup2(&actions, outputs[1], 2)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pid = pid_t()
        let code = posix_spawn(&pid, "/bin/sh", &actions, &attributes, &argv, Glibc.environ)
        guard code == 0 else {
            close(ends[1])
            close(outputs[0])
            throw HarnessError("redis-server does not start: \(code)")
        }
        return (pid, ends[1], outputs[0])
    }

    /// Reads what they write, up to its end.
    private static func collect(_ descriptor: Int32, into output: SharedValue<Output>) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
            let piece = String(decoding: buffer[..<count], as: UTF8.self)
            output.update { $0.text += piece }
        }
        close(descriptor)
        output.update { $0.isComplete = true }
    }

    /// Its sockets listen before it writes this line.
    private func waitUntilReady() throws {
        let isReady = try output.wait("redis-server to be ready") { output -> Bool? in
            if output.text.contains("eady to accept connections"), Self.server(in: output.text) != nil { return true }
            return output.isComplete ? false : nil
        }
        guard isReady else { throw HarnessError("redis-server ended: \(output.current.text)") }
    }

    /// Runs one command over the Unix socket; returns the first line of the reply.
    @discardableResult
    public func run(_ words: String...) throws -> String {
        let reply = try exchange(words)
        return String(decoding: reply.utf8.prefix { $0 != 0x0D }, as: UTF8.self)
    }

    /// Runs one command over the Unix socket; returns what comes in one piece.
    public func exchange(_ words: [String]) throws -> String {
        let descriptor = socket(AF_UNIX, streamType, 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8.prefix($0.count - 1)) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else { throw HarnessError("connect to redis-server: errno \(errno)") }
        let text = "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
        guard send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else {
            throw HarnessError("send to redis-server: errno \(errno)")
        }
        var reply = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &reply, reply.count, 0)
        return String(decoding: reply[..<max(0, count)], as: UTF8.self)
    }

    private var pid: pid_t { Self.server(in: output.current.text) ?? 0 }

    /// The server's process, which the shell reports in a line of its own.
    private static func server(in text: String) -> pid_t? {
        text.split(separator: "\n").first { $0.hasPrefix("pid ") }.flatMap { pid_t($0.dropFirst(4)) }
    }

    /// Stops it for a while.
    public func pause() { signal(SIGSTOP) }

    /// Lets it go on.
    public func resume() { signal(SIGCONT) }

    /// Ends it at once.
    public func end() { signal(SIGKILL) }

    private func signal(_ number: Int32) { if pid > 0 { kill(pid, number) } }
}

private let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
