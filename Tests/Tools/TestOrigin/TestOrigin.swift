import Glibc
import Locking

/// An HTTP server on a loopback port, for tests: one thread per connection, connections kept.
public final class TestOrigin: Sendable {
    public struct Request: Sendable {
        public var method: String
        public var target: String
        /// Names in lower case; of repeated ones the last.
        public var fields: [String: String]
        public var content: [UInt8]
    }

    public struct Reply: Sendable {
        public var status: Int
        public var fields: [(String, String)]
        public var content: [UInt8]

        public init(_ status: Int = 200, _ fields: [(String, String)] = [], _ content: String = "") {
            self.status = status
            self.fields = fields
            self.content = Array(content.utf8)
        }

        public init(_ status: Int = 200, _ fields: [(String, String)] = [], bytes: [UInt8]) {
            self.status = status
            self.fields = fields
            content = bytes
        }
    }

    private struct State {
        var requests: [Request] = []
        var closed = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    public let port: UInt16
    private let listener: Int32
    private let state = Lock(State())

    /// What has come so far.
    public var requests: [Request] { state.withLock { $0.requests } }
    public var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameter answer: called for each request, on its connection's thread, which it may block.
    public init(_ answer: @escaping @Sendable (Request) -> Reply) {
        signal(SIGPIPE, SIG_IGN)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(listener, $0, length) == 0 && listen(listener, 128) == 0, "cannot listen")
                getsockname(listener, $0, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        let owner = WeakOrigin(self)
        SystemThread.start {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                SystemThread.start {
                    Connection(connection).serve { request in
                        owner.origin?.note(request)
                        return answer(request)
                    }
                    owner.origin?.noteClosed()
                }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private func note(_ request: Request) { state.withLock { $0.requests.append(request) } }

    private func noteClosed() {
        let due = state.withLock { state in
            state.closed += 1
            let closed = state.closed
            let due = state.waiters.filter { $0.count <= closed }
            state.waiters.removeAll { $0.count <= closed }
            return due
        }
        for waiter in due { waiter.continuation.resume() }
    }

    /// Returns once so many connections have been closed by clients.
    public func connectionsClosed(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.closed < count { state.waiters.append((count, continuation)) }
                return state.closed >= count
            }
            if isDone { continuation.resume() }
        }
    }
}

private final class WeakOrigin: Sendable {
    weak let origin: TestOrigin?
    init(_ origin: TestOrigin) { self.origin = origin }
}
