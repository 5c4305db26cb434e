import Cassettes
import HTTPCore

extension ResponseHead {
    /// The head of a recorded response.
    ///
    /// The length is that of the content as the cassette now has it: it may have been edited.
    init(_ response: CassetteResponse, to method: Method) {
        var fields = Fields(response.fields)
        let announced = fields.text(of: .contentLength).flatMap { Int64($0) }
        fields.remove(.contentLength)
        self.init(status: response.status, fields: fields)
        reason = response.reason.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: " ") : $0 }
        if Self.hasNoContent(response.status, method) {
            contentLength = method == .head ? announced ?? Int64(response.content.count) : nil
        } else if response.trailers.isEmpty, response.pieces.isEmpty {
            framing = .length(Int64(response.content.count))
            contentLength = Int64(response.content.count)
        } else {
            framing = .chunked
        }
    }

    /// Whether a response has no content, whatever its fields are (RFC 9112 §6.3).
    static func hasNoContent(_ status: UInt16, _ method: Method) -> Bool {
        method == .head || status == 204 || status == 304
    }

    /// The head of the response to a request that the cassette does not have.
    init(missing problem: ProblemDocument, length: Int, to method: Method) {
        var fields = Fields()
        fields.append(.contentType, String(describing: ProblemDocument.mediaType))
        fields.append(.cacheControl, "no-store")
        fields.append(
            .proxyStatus,
            ProxyStatus(error: .destinationUnavailable, details: problem.detail).bytes
        )
        self.init(status: problem.status, fields: fields)
        contentLength = Int64(length)
        if method != .head { framing = .length(Int64(length)) }
    }
}

extension ProblemDocument {
    /// A sentence: which recorded request is nearest, and what differs.
    init(_ miss: CassetteMiss) {
        var members = [Member("request", miss.request)]
        if let nearest = miss.nearest {
            members.append(Member("nearest", nearest))
            members.append(Member("differs", miss.summary))
        }
        self.init(status: 504, title: "Not in the Cassette", detail: miss.userMessage, members: members)
    }
}
