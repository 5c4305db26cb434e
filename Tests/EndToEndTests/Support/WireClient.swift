import TestSupport

/// A final response and the interim ones before it.
struct Response: Sendable {
    var head: MessageHead
    var interim: [MessageHead] = []
    var content: [UInt8] = []
    var trailers = FieldLines()

    var status: Int { head.words.count > 1 ? Int(head.words[1]) ?? 0 : 0 }
    var text: String { String(decoding: content, as: UTF8.self) }
    /// The last member of Cache-Status, which is the daemon's own.
    var cacheStatus: String { self["Cache-Status"]?.split(separator: ",").last.map(String.init) ?? "" }
    /// Whether the daemon says that its store answered.
    var isHit: Bool { cacheStatus.contains("; hit") }

    subscript(name: String) -> String? { head.fields[name] }
}

/// One connection to the daemon, used byte by byte.
final class WireClient {
    let socket: TestSocket
    let reader: WireReader

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        socket = try TestSocket(port: port, receiveBuffer: receiveBuffer)
        reader = WireReader(socket)
    }

    init(over socket: TestSocket) {
        self.socket = socket
        reader = WireReader(socket)
    }

    /// Sends a request with these field lines; Host and Content-Length are not supplied.
    func send(_ method: String, _ target: String, _ fields: [String], content: [UInt8] = []) throws {
        let lines = ["\(method) \(target) HTTP/1.1"] + fields
        try socket.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + content)
    }

    /// Reads heads up to the final one and prepares for its content.
    func readHead(toHEAD: Bool = false, toCONNECT: Bool = false) throws -> Response {
        var interim: [MessageHead] = []
        while let head = try reader.head() {
            var response = Response(head: head)
            if response.status < 200 && response.status != 101 {
                interim.append(head)
                continue
            }
            response.interim = interim
            let hasNone = toHEAD || response.status == 204 || response.status == 304
            if hasNone || (toCONNECT && response.status / 100 == 2) {
                reader.beginContent(.none)
            } else if head.isChunked {
                reader.beginContent(.chunked(left: 0, isFirst: true))
            } else if let length = head.contentLength {
                reader.beginContent(.length(length))
            } else {
                reader.beginContent(.untilClose)
            }
            return response
        }
        throw HarnessError("the connection was closed without a final response")
    }

    /// Reads a whole response.
    func readResponse(toHEAD: Bool = false) throws -> Response {
        var response = try readHead(toHEAD: toHEAD)
        response.content = try reader.allContent()
        response.trailers = reader.trailers
        return response
    }

    /// Sends a request and reads the whole response.
    func exchange(_ method: String, _ target: String, _ fields: [String], content: [UInt8] = []) throws -> Response {
        try send(method, target, fields, content: content)
        return try readResponse(toHEAD: method == "HEAD")
    }

    /// Waits until the daemon closes; whatever it still sends is not wanted.
    func expectClose() throws -> Bool {
        do { return try reader.isAtEnd() } catch { return true }
    }
}
