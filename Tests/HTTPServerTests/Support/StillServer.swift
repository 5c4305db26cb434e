import Eventing
import Glibc
import HTTPCore
import HTTPServer
import TestSupport

/// A listener on a loop of the test's own thread, whose clock stands still until the test advances it.
///
/// Its one client comes by a Unix socket: what is written there has arrived.
final class StillServer {
    let responder = TestResponder()
    private let manual: ManualLoop
    let listener: HTTPListener
    private let directory = TemporaryDirectory()
    private let client: Int32
    /// Whether the last call of `receive` has come to the end of the connection.
    private(set) var hasEnded = false

    init(_ change: (inout ServerLimits) -> Void = { _ in }) throws {
        var limits = ServerLimits()
        limits.idleTimeout = .seconds(86_400)
        change(&limits)
        manual = try ManualLoop()
        let path = directory.path("socket")
        listener = HTTPListener(
            loop: manual.loop,
            socket: try ListeningSocket(binding: .unix(path: path)),
            responder: responder,
            connectionCounter: ConnectionCounter(limits: limits),
            limits: limits
        )
        client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw HarnessError("connect \(path): errno \(errno)") }
        turn()
    }

    deinit {
        responder.held = []
        listener.close()
        manual.turn()
        close(client)
    }

    /// Runs all that is to do now.
    func turn() { for _ in 0..<4 { manual.turn() } }

    func advance(by duration: Duration) {
        manual.advance(by: duration)
        turn()
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        guard Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            preconditionFailure("the socket is full: errno \(errno)")
        }
        turn()
    }

    /// Ends the client's side.
    func endSending() {
        shutdown(client, Int32(SHUT_WR))
        turn()
    }

    var statistics: HTTPListener.Statistics { listener.statistics }

    /// Open connections, without tunnels.
    var connectionCount: Int { listener.connectionCount }

    /// What the client has received since the last call.
    func receive() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            var count = 0
            let new = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
                count = recv(client, buffer.baseAddress, buffer.count, 0)
                filled = max(0, count)
            }
            guard count > 0 else {
                hasEnded = count == 0
                return all
            }
            all += new
        }
    }
}
