import Glibc
import Locking

/// An HTTP server on a loopback port that answers each request by a function, and keeps connections open.
public final class AnsweringOrigin: Sendable {
    public struct Request: Sendable {
        public var method: String
        public var target: String
        /// Names in lower case; if a name is repeated, its last value.
        public var fields: [String: String]
        public var content: [UInt8]
    }

    public struct Reply: Sendable {
        public var status: Int
        public var fields: [(String, String)]
        public var content: [UInt8]
        /// How many bytes of the content are sent before the connection breaks; nil: all are, and it stays.
        public var cut: Int?

        public init(_ status: Int = 200, _ fields: [(String, String)] = [], _ content: String = "") {
            self.init(status, fields, bytes: Array(content.utf8))
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

    /// What the connections report to; it outlives the server, as they do.
    private final class Record: Sendable {
        let state = Lock(State())

        func noteClosed() {
            let due = state.withLock { state in
                state.closed += 1
                let closed = state.closed
                let due = state.waiters.filter { $0.count <= closed }
                state.waiters.removeAll { $0.count <= closed }
                return due
            }
            for waiter in due { waiter.continuation.resume() }
        }
    }

    private let origin: TestOrigin
    private let record: Record

    public var port: UInt16 { origin.port }
    public var url: String { "http://127.0.0.1:\(port)" }
    /// The requests so far.
    public var requests: [Request] { record.state.withLock { $0.requests } }

    /// - Parameter answer: called for each request, on the thread of its connection, which it may block.
    public init(_ answer: @escaping @Sendable (Request) -> Reply) {
        let record = Record()
        self.record = record
        origin = TestOrigin { peer, _ in
            while let request = peer.readRequest() {
                record.state.withLock { $0.requests.append(request) }
                let reply = answer(request)
                guard peer.send(reply.bytes(to: request)), reply.cut == nil else { break }
            }
            record.noteClosed()
        }
    }

    deinit { origin.close() }

    /// Returns once clients have closed this many connections.
    public func connectionsClosed(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = record.state.withLock { state in
                if state.closed < count { state.waiters.append((count, continuation)) }
                return state.closed >= count
            }
            if isDone { continuation.resume() }
        }
    }
}

extension AnsweringOrigin.Reply {
    fileprivate func bytes(to request: AnsweringOrigin.Request) -> [UInt8] {
        var head = "HTTP/1.1 \(status) Reply\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if status != 304 && status != 204 { head += "Content-Length: \(content.count)\r\n" }
        let sent = request.method == "HEAD" || status == 304 ? [] : content
        return Array((head + "\r\n").utf8) + sent.prefix(cut ?? sent.count)
    }
}

extension OriginPeer {
    /// The next request with its content; nil at the end of the connection.
    fileprivate func readRequest() -> AnsweringOrigin.Request? {
        guard let lines = readHead()?.split(separator: "\r\n") else { return nil }
        let start = (lines.first ?? "").split(separator: " ")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        let count = fields["content-length"].flatMap { Int($0) } ?? 0
        let content = read(count)
        guard start.count == 3, content.count == count else { return nil }
        return AnsweringOrigin.Request(
            method: String(start[0]),
            target: String(start[1]),
            fields: fields,
            content: content
        )
    }
}
