import Glibc
import TestSupport

/// A request as the origin received it.
struct OriginRequest: Sendable {
    var head: MessageHead
    /// Which of the origin's connections it came on, from 0.
    var connection: Int

    var method: String { head.words.first ?? "" }
    var target: String { head.words.count > 1 ? head.words[1] : "" }

    subscript(name: String) -> String? { head.fields[name] }
}

/// One request at the origin and the means to answer it, byte by byte if wished.
final class OriginExchange {
    let request: OriginRequest
    /// Which request for this target it is, from 1.
    let ordinal: Int
    private(set) var keepsAlive = true
    let socket: TestSocket
    let reader: WireReader

    init(request: OriginRequest, ordinal: Int, reader: WireReader) {
        self.request = request
        self.ordinal = ordinal
        self.reader = reader
        socket = reader.socket
        if request.head.isChunked {
            reader.beginContent(.chunked(left: 0, isFirst: true))
        } else {
            reader.beginContent(.length(request.head.contentLength ?? 0))
        }
    }

    var target: String { request.target }

    /// The rest of the request's content.
    func content() throws -> [UInt8] { try reader.allContent() }

    /// A whole response with Content-Length and, unless given, Date.
    func reply(_ status: String = "200 OK", _ fields: [String] = [], body: String) throws {
        try reply(status, fields, content: Array(body.utf8))
    }

    func reply(_ status: String = "200 OK", _ fields: [String] = [], content: [UInt8] = []) throws {
        let length = status.hasPrefix("304") || status.hasPrefix("204") ? [] : ["Content-Length: \(content.count)"]
        let bytes = headBytes(status, length + fields)
        try socket.send(request.method == "HEAD" ? bytes : bytes + content)
    }

    /// A head alone; its framing is up to the fields.
    func sendHead(_ status: String = "200 OK", _ fields: [String]) throws {
        try socket.send(headBytes(status, fields))
    }

    func sendChunk(_ content: [UInt8]) throws {
        try socket.send(Array((String(content.count, radix: 16) + "\r\n").utf8) + content + [0x0D, 0x0A])
    }

    func endChunks(trailers: [String] = []) throws {
        try socket.send("0\r\n" + trailers.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    func sendRaw(_ text: String) throws { try socket.send(text) }

    /// Closes the connection after the script.
    func close() { keepsAlive = false }

    /// Resets the connection after the script.
    func reset() {
        keepsAlive = false
        socket.resetWhenClosed()
    }

    private func headBytes(_ status: String, _ fields: [String]) -> [UInt8] {
        let hasDate = fields.contains { $0.lowercased().hasPrefix("date:") }
        let lines = ["HTTP/1.1 \(status)"] + (hasDate ? [] : ["Date: \(httpDate())"]) + fields
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}

/// An HTTP/1.1 server on loopback that answers by a script and remembers what it was asked.
final class ScriptedOrigin: Sendable {
    /// Answers one request; an error closes the connection.
    typealias Script = @Sendable (OriginExchange) throws -> Void

    private struct State: Sendable {
        var requests: [OriginRequest] = []
        var connections = 0
        var open: [Int: WeakSocket] = [:]
    }

    private let listener: TestListener
    private let state = SharedValue(State())
    private let script: Script
    private let site: TestSite?

    /// - Parameter site: makes it speak TLS.
    init(host: UInt8 = 1, port: UInt16 = 0, site: TestSite? = nil, _ script: @escaping Script) throws {
        listener = try TestListener(host: host, port: port)
        self.script = script
        self.site = site
        let listener = listener
        _ = BackgroundThread { [weak self] in
            while let socket = listener.accept(site) {
                guard let origin = self else { return }
                origin.serve(socket)
            }
        }
    }

    deinit { stop() }

    var port: UInt16 { listener.port }
    var authority: String { "127.0.0.1:\(port)" }
    /// What was asked, in order of arrival.
    var requests: [OriginRequest] { state.current.requests }
    /// How many connections were made.
    var connections: Int { state.current.connections }

    func url(_ path: String) -> String { "\(site == nil ? "http" : "https")://\(authority)\(path)" }

    /// The requests for one target.
    func requests(for target: String) -> [OriginRequest] { requests.filter { $0.target == target } }

    /// Waits until `count` requests for the target have come.
    func wait(for count: Int, of target: String) throws {
        try state.wait("\(count) requests for \(target)") { state in
            state.requests.count { $0.target == target } >= count ? () : nil
        }
    }

    /// Refuses connections from now on and closes those there are.
    func stop() {
        listener.interrupt()
        for socket in state.current.open.values { socket.value?.interrupt() }
    }

    private func serve(_ socket: TestSocket) {
        let number = state.update { state in
            defer { state.connections += 1 }
            state.open[state.connections] = WeakSocket(value: socket)
            return state.connections
        }
        let script = script
        let state = state
        _ = BackgroundThread {
            let reader = WireReader(socket)
            while let exchange = try? Self.next(reader, connection: number, state: state) {
                guard (try? script(exchange)) != nil, exchange.keepsAlive, (try? exchange.content()) != nil else {
                    break
                }
            }
            socket.closeSecurity()
            state.update { $0.open[number] = nil }
        }
    }

    private static func next(
        _ reader: WireReader,
        connection: Int,
        state: SharedValue<State>
    ) throws -> OriginExchange? {
        guard let head = try reader.head() else { return nil }
        let request = OriginRequest(head: head, connection: connection)
        let ordinal = state.update { state in
            state.requests.append(request)
            return state.requests.count { $0.target == request.target }
        }
        return OriginExchange(request: request, ordinal: ordinal, reader: reader)
    }
}

private struct WeakSocket: Sendable {
    weak let value: TestSocket?
}

/// The time in the preferred form of HTTP (RFC 9110 §5.6.7), `offset` seconds from now.
func httpDate(_ offset: Int = 0) -> String {
    var seconds = time(nil) + offset
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
