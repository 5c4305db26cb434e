import Locking
import TestSupport

extension TestOrigin {
    /// A server that answers each request of each connection by what `answer` makes of it, and keeps all requests.
    static func answering(_ answer: @escaping @Sendable (OriginRequestText) -> String) -> RecordingOrigin {
        let record = RequestRecord()
        let origin = TestOrigin { peer, _ in
            while let head = peer.readHead() {
                var request = OriginRequestText(head)
                if request.contentLength > 0 {
                    request.content = String(decoding: peer.read(request.contentLength), as: UTF8.self)
                }
                record.add(request)
                let reply = answer(request)
                guard !reply.isEmpty, peer.send(reply), !reply.contains("Connection: close") else { return }
            }
        }
        return RecordingOrigin(origin: origin, record: record)
    }
}

/// One request as an origin got it.
struct OriginRequestText: Sendable {
    let head: String
    var content = ""

    init(_ head: String) { self.head = head }

    var method: String { String(line.first ?? "") }
    var target: String { line.count > 1 ? String(line[1]) : "" }
    private var line: [Substring] { (head.split(separator: "\r\n").first ?? "").split(separator: " ") }

    /// The values of a field, in order.
    subscript(_ name: String) -> [String] { Reply.values(of: name, in: head) }

    var contentLength: Int { self["Content-Length"].first.flatMap { Int($0) } ?? 0 }
}

/// What an origin was asked.
final class RequestRecord: Sendable {
    private let all = Lock<[OriginRequestText]>([])

    func add(_ request: OriginRequestText) { all.withLock { $0.append(request) } }
    var requests: [OriginRequestText] { all.withLock { $0 } }
}

/// A server and what it was asked.
struct RecordingOrigin: Sendable {
    let origin: TestOrigin
    let record: RequestRecord

    var port: UInt16 { origin.port }
    var requests: [OriginRequestText] { record.requests }
    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}

/// A response with a Content-Length, and a Date so that it can be stored with sense.
func response(_ status: String = "200 OK", _ fields: String..., content: String = "") -> String {
    let lines = fields.map { "\($0)\r\n" }.joined()
    return "HTTP/1.1 \(status)\r\n\(lines)Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
}
