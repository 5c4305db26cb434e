import HTTPCore
import JSON
import Settings

extension Cassette {
    /// The file: HAR 1.2.
    ///
    /// Equal cassettes have equal files.
    ///
    /// - Parameter creator: the version of the program that writes it.
    public func har(creator: String) -> [UInt8] {
        let log = JSONValue.members([
            ("version", .text("1.2")),
            ("creator", .members([("name", .text("Respite")), ("version", .text(creator))])),
            ("_respite", own),
            ("entries", .array(sortedEntries.map { $0.entry.json(order: $0.order) })),
        ])
        var json = IndentedJSON()
        json.append(.members([("log", log)]))
        return json.bytes
    }

    /// The members that HAR does not know.
    private var own: JSONValue {
        .members([
            ("version", .integer(Self.version)),
            ("scrubbedFields", .texts(scrubbing.fields)),
            ("scrubbedParameters", .texts(scrubbing.parameters)),
            ("scrubbedPaths", .texts(scrubbing.paths)),
        ])
    }
}

extension CassetteEntry {
    fileprivate func json(order: Int) -> JSONValue { json(own: [("order", .integer(Int64(order)))]) }

    /// - Parameter own: members that HAR does not know.
    func json(own: [(String, JSONValue)]) -> JSONValue {
        .members([
            ("startedDateTime", .text(started)),
            ("time", .real(milliseconds: waited + received)),
            ("request", request.json),
            ("response", response.json),
            ("cache", .object([])),
            (
                "timings",
                .members([
                    ("send", .integer(0)), ("wait", .real(milliseconds: waited)),
                    ("receive", .real(milliseconds: received)),
                ])
            ),
            ("_respite", .members(own)),
        ])
    }
}

extension CassetteRequest {
    fileprivate var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("method", .text(method)), ("url", .text(url)), ("httpVersion", .text("HTTP/1.1")),
            ("cookies", .array([])), ("headers", .fields(fields)),
            (
                "queryString",
                .fields(
                    location.parameters.map {
                        CassetteField(FormText.unescaped($0.name), FormText.unescaped($0.value))
                    }
                )
            ),
            ("headersSize", .integer(-1)), ("bodySize", .integer(Int64(content.count))),
        ]
        if !content.isEmpty {
            let body = BodyText(content)
            var data: [(String, JSONValue)] = [
                ("mimeType", .text(fields.value(of: "content-type") ?? "")), ("params", .array([])),
                ("text", .text(body.text)),
            ]
            // HAR has no member for the encoding of a request's content.
            if body.isBase64 { data.append(("_respite", .members([("encoding", .text("base64"))]))) }
            members.append(("postData", .members(data)))
        }
        return .members(members)
    }
}

extension CassetteResponse {
    fileprivate var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("status", .integer(Int64(status))), ("statusText", .text(reason)), ("httpVersion", .text("HTTP/1.1")),
            ("cookies", .array([])), ("headers", .fields(fields)), ("content", contentJSON),
            ("redirectURL", .text(fields.value(of: "location") ?? "")), ("headersSize", .integer(-1)),
            ("bodySize", .integer(Int64(content.count))),
        ]
        var own: [(String, JSONValue)] = []
        if !trailers.isEmpty { own.append(("trailers", .fields(trailers))) }
        if !pieces.isEmpty {
            let list = pieces.map { piece in
                JSONValue.members([("bytes", .integer(Int64(piece.count))), ("ms", .real(milliseconds: piece.time))])
            }
            own.append(("pieces", .array(list)))
        }
        if !own.isEmpty { members.append(("_respite", .members(own))) }
        return .members(members)
    }

    private var contentJSON: JSONValue {
        let body = BodyText(content)
        var members: [(String, JSONValue)] = [
            ("size", .integer(Int64(content.count))), ("mimeType", .text(fields.value(of: "content-type") ?? "")),
        ]
        if !content.isEmpty { members.append(("text", .text(body.text))) }
        if body.isBase64 { members.append(("encoding", .text("base64"))) }
        return .members(members)
    }
}

/// Content as the text of a JSON member.
struct BodyText {
    let text: String
    let isBase64: Bool

    /// Text stays readable; what is no UTF-8, or has other controls than those of lines, becomes Base64.
    init(_ content: [UInt8]) {
        let text = String(validating: content, as: UTF8.self)
        let isText = text != nil && !content.contains { $0 == 0x7F || $0 < 0x20 && !"\t\n\r".utf8.contains($0) }
        self.text = isText ? text ?? "" : String(decoding: Base64.encode(content), as: UTF8.self)
        isBase64 = !isText
    }
}

extension JSONValue {
    static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { Member(name: $0.0, value: $0.1) })
    }

    fileprivate static func fields(_ fields: [CassetteField]) -> JSONValue {
        .array(fields.map { .members([("name", .text($0.name)), ("value", .text($0.value))]) })
    }

    fileprivate static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .text($0) }) }

    /// A time to the tenth of a millisecond.
    fileprivate static func real(milliseconds: Double) -> JSONValue { .real((milliseconds * 10).rounded() / 10) }
}
