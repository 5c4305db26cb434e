import Respite

/// A response to a client of this server.
struct OutgoingResponse: Sendable {
    private let status: UInt16
    private let contentType: String
    private let content: [UInt8]
    /// Why the content is old, for people who look.
    private var note: String?

    /// The content of an entity, with its type.
    init(_ entity: Entity<any Sendable>, note: String? = nil) {
        (status, contentType, content) = (200, entity.contentType, entity.typedContent(ifNone: []))
        self.note = note
    }

    private init(_ status: UInt16, text: String) {
        (self.status, contentType, content) = (status, "text/plain; charset=utf-8", Array("\(text)\n".utf8))
    }

    /// A sentence for a person.
    static func text(_ status: UInt16, _ text: String) -> OutgoingResponse { OutgoingResponse(status, text: text) }

    /// As it goes to the client, who then sees the end of the connection.
    var bytes: [UInt8] {
        var lines = [
            "HTTP/1.1 \(status) \(ReasonPhrase.text(for: status))", "Content-Type: \(contentType)",
            "Content-Length: \(content.count)", "Connection: close",
        ]
        if let note { lines.append("Front-Note: \(note.filter { $0.isASCII && !$0.isNewline })") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + content
    }
}
