import Formats
import HTTPCore
import HTTPServer

/// Responses of the admin API: no browser may cache, frame, sniff or run them (H-147).
extension ServerExchange {
    /// The fields of every response of the admin API.
    static func adminFields(contentType: String) -> Fields {
        var fields = Fields()
        fields.append(.contentType, contentType)
        fields.append(.cacheControl, "no-store")
        fields.append(name: "X-Content-Type-Options", value: "nosniff")
        fields.append(name: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'; sandbox")
        fields.append(name: "Cross-Origin-Resource-Policy", value: "same-origin")
        fields.append(name: "Referrer-Policy", value: "no-referrer")
        return fields
    }

    func reply(text: String) {
        respond(200, fields: Self.adminFields(contentType: "text/plain; charset=utf-8"), content: ByteChunk(text))
    }

    /// Responds with the JSON object that `body` writes.
    func reply(_ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.object { body(&$0) }
        reply(json: writer.bytes)
    }

    /// Responds with a JSON object.
    func reply(json bytes: [UInt8]) {
        respond(
            200,
            fields: Self.adminFields(contentType: "application/json"),
            content: ByteChunk(bytes + [UInt8(ascii: "\n")])
        )
    }

    func reply(_ refusal: AdminRefusal) {
        var fields = Self.adminFields(contentType: String(describing: ProblemDocument.mediaType))
        for (field, value) in refusal.fields { fields.append(field, value) }
        let members = refusal.path.map { [ProblemDocument.Member("path", $0)] } ?? []
        let problem = ProblemDocument(status: refusal.status, detail: refusal.detail, members: members)
        respond(refusal.status, fields: fields, content: ByteChunk(problem.json))
    }
}
