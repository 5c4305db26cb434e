import Glibc
import TestSupport

/// Field lines as they were sent: order, spelling and duplicates kept.
struct FieldLines: Sendable {
    var lines: [(name: String, value: String)] = []

    /// All values of a name, in order.
    func all(_ name: String) -> [String] {
        lines.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The values of a name, joined with commas; `nil` if there is none.
    subscript(name: String) -> String? {
        let values = all(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

/// A message's start line and fields.
struct MessageHead: Sendable {
    var startLine: String
    var fields: FieldLines

    /// The words of the start line.
    var words: [String] { startLine.split(separator: " ", maxSplits: 2).map(String.init) }

    var isChunked: Bool { fields["Transfer-Encoding"]?.lowercased() == "chunked" }
    var contentLength: Int? { fields["Content-Length"].flatMap { Int($0) } }
}

/// Where the content of a message ends.
enum ContentFraming {
    case none
    case length(Int)
    case chunked(left: Int, isFirst: Bool)
    case untilClose
}

/// Reads HTTP messages from a socket, strictly: a message cut short is an error.
final class WireReader {
    let socket: TestSocket
    private var buffer: [UInt8] = []
    private var start = 0
    private var framing = ContentFraming.none
    private(set) var trailers = FieldLines()

    init(_ socket: TestSocket) {
        self.socket = socket
    }

    /// What has been received and not been read, for whoever reads the socket from now on.
    func takeReceived() -> [UInt8] {
        defer { start = buffer.count }
        return Array(buffer[start...])
    }

    /// Whether the peer has closed and everything was read.
    func isAtEnd() throws -> Bool {
        try start == buffer.count && !fill()
    }

    /// The next head; `nil` if the peer closes before one begins.
    func head() throws -> MessageHead? {
        if try isAtEnd() { return nil }
        let startLine = try line()
        return MessageHead(startLine: startLine, fields: try fieldLines())
    }

    /// The content of the message that begins here is framed so.
    func beginContent(_ framing: ContentFraming) {
        self.framing = framing
        trailers = FieldLines()
    }

    /// The next bytes of the content, at most `maximum`; none at its end.
    func content(upTo maximum: Int) throws -> [UInt8] {
        switch framing {
        case .none:
            return []
        case .untilClose:
            return try bytes(upTo: maximum)
        case .length(let left):
            let piece = try bytes(upTo: min(left, maximum))
            if piece.isEmpty && left > 0 && maximum > 0 { throw HarnessError("cut with \(left) bytes missing") }
            framing = left == piece.count ? .none : .length(left - piece.count)
            return piece
        case .chunked(let left, let isFirst):
            return try chunkContent(upTo: maximum, left: left, isFirst: isFirst)
        }
    }

    /// Exactly `count` bytes of content.
    func content(exactly count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let piece = try content(upTo: count - bytes.count)
            if piece.isEmpty { throw HarnessError("content ends after \(bytes.count) of \(count) bytes") }
            bytes += piece
        }
        return bytes
    }

    /// What is left of the content.
    func allContent() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try content(upTo: 1 << 20)
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    /// Any bytes, whatever they mean: at most `maximum`, none at the end.
    func bytes(upTo maximum: Int) throws -> [UInt8] {
        if maximum == 0 { return [] }
        if start == buffer.count, try !fill() { return [] }
        let end = min(buffer.count, start + maximum)
        defer { start = end }
        return Array(buffer[start..<end])
    }

    /// Exactly `count` bytes, whatever they mean.
    func bytes(exactly count: Int) throws -> [UInt8] {
        var result: [UInt8] = []
        while result.count < count {
            let piece = try bytes(upTo: count - result.count)
            if piece.isEmpty { throw HarnessError("the peer closed after \(result.count) of \(count) bytes") }
            result += piece
        }
        return result
    }

    /// A line that ends in CRLF, without it.
    func line() throws -> String {
        var scanned = start
        while true {
            if let end = buffer[scanned...].firstIndex(of: 0x0A) {
                var last = end
                if last > start, buffer[last - 1] == 0x0D { last -= 1 }
                defer { start = end + 1 }
                return String(decoding: buffer[start..<last], as: UTF8.self)
            }
            let pending = buffer.count - start
            guard try fill() else { throw HarnessError("the peer closed inside a line") }
            scanned = start + pending
        }
    }

    private func chunkContent(upTo maximum: Int, left: Int, isFirst: Bool) throws -> [UInt8] {
        var left = left
        if left == 0 {
            if !isFirst, try line() != "" { throw HarnessError("no CRLF behind a chunk") }
            let size = try line()
            guard let count = Int(size.prefix { $0 != ";" }, radix: 16) else {
                throw HarnessError("bad chunk size \(size)")
            }
            if count == 0 {
                trailers = try fieldLines()
                framing = .none
                return []
            }
            left = count
        }
        let piece = try bytes(upTo: min(left, maximum))
        if piece.isEmpty { throw HarnessError("cut inside a chunk") }
        framing = .chunked(left: left - piece.count, isFirst: false)
        return piece
    }

    private func fieldLines() throws -> FieldLines {
        var fields = FieldLines()
        while true {
            let text = try line()
            if text.isEmpty { return fields }
            guard let colon = text.firstIndex(of: ":") else { throw HarnessError("no colon in \(text)") }
            let value = text[text.index(after: colon)...].trimmingPrefix { $0 == " " }
            fields.lines.append((String(text[..<colon]), String(value)))
        }
    }

    private func fill() throws -> Bool {
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 1 << 16 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        let piece = try socket.receive()
        buffer += piece
        return !piece.isEmpty
    }
}
