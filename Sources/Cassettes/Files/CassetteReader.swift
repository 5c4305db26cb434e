import HTTPCore
import JSON
import Settings

extension Cassette {
    /// Reads a file: one of ours, or HAR that another tool has recorded.
    public init(har bytes: [UInt8]) throws(CassetteError) {
        guard !bytes.isEmpty else { throw CassetteError(place: "line 1", "the file is empty; record it again") }
        do throws(JSONError) {
            try self.init(JSONCursor(JSONReader.parse(bytes, sizeLimit: .max)))
        } catch {
            throw CassetteError(place: error.path, "\(error.userMessage)\(Self.remedy(error))")
        }
    }

    private static func remedy(_ error: JSONError) -> String {
        if error.path == "$.log._respite.version" { return "" }
        let isWhole = error.path.hasPrefix("$")
        return isWhole
            ? "; correct it there, or record the cassette again"
            : "; the file is cut off or was edited: restore it, or record the cassette again"
    }

    private init(_ file: JSONCursor) throws(JSONError) {
        let log = try file.requiredMember("log")
        let own = log.member("_respite")
        if let own { try Self.checkVersion(own.requiredMember("version")) }
        var entries: [(order: Int64, entry: CassetteEntry)] = []
        for (index, cursor) in try log.requiredMember("entries").elements().enumerated() {
            let entry = try CassetteEntry(cursor, isForeign: own == nil)
            let order = try cursor.member("_respite")?.member("order")?.integer()
            entries.append((order ?? Int64(index), entry))
        }
        // The sort is stable: equal numbers, as after an edit by hand, stay in the order of the file.
        self.init(
            entries: entries.sorted { $0.order < $1.order }.map(\.entry),
            scrubbing: ScrubbingRules(
                fields: try own?.texts("scrubbedFields") ?? [],
                parameters: try own?.texts("scrubbedParameters") ?? [],
                paths: try own?.texts("scrubbedPaths") ?? []
            )
        )
    }

    private static func checkVersion(_ cursor: JSONCursor) throws(JSONError) {
        let found = try cursor.integer()
        guard found != version else { return }
        throw cursor.error(
            found > version
                ? "is \(found), and this Respite reads \(version); a newer Respite has recorded it: update"
                : "is \(found), which is no version; record the cassette again"
        )
    }
}

extension CassetteEntry {
    /// - Parameter isForeign: whether another tool has recorded it; such a tool removes content codings.
    init(_ cursor: JSONCursor, isForeign: Bool) throws(JSONError) {
        let timings = cursor.member("timings")
        self.init(
            started: try cursor.member("startedDateTime")?.text() ?? "1970-01-01T00:00:00Z",
            waited: max(0, timings?.member("wait")?.number ?? 0),
            received: max(0, timings?.member("receive")?.number ?? 0),
            request: try CassetteRequest(cursor.requiredMember("request")),
            response: try CassetteResponse(cursor.requiredMember("response"))
        )
        guard isForeign else { return }
        request.fields.removeAll { $0.name.hasPrefix(":") || $0.isNamed("host") }
        response.fields.removeAll { $0.name.hasPrefix(":") }
        response.removeContentCoding()
    }
}

extension CassetteResponse {
    /// Removes what is true of the coded content only; a strong tag becomes a weak one (RFC 9110 §8.8.1).
    fileprivate mutating func removeContentCoding() {
        guard fields.value(of: "content-encoding") != nil else { return }
        let wrong = ["content-encoding", "content-length", "content-md5", "content-digest", "digest", "repr-digest"]
        fields.removeAll { field in wrong.contains { field.isNamed($0) } }
        for index in fields.indices where fields[index].isNamed("etag") && fields[index].value.hasPrefix("\"") {
            fields[index].value = "W/" + fields[index].value
        }
    }
}

extension CassetteRequest {
    fileprivate init(_ cursor: JSONCursor) throws(JSONError) {
        let data = cursor.member("postData")
        let isBase64 = try data?.member("_respite")?.member("encoding")?.text() == "base64"
        let url = try cursor.requiredMember("url")
        let text = try url.text()
        guard ["http://", "https://"].contains(where: { text.lowercased().hasPrefix($0) }) else {
            throw url.error("must be an absolute URL of http or https")
        }
        self.init(
            method: try cursor.requiredMember("method").text(),
            url: text,
            fields: try cursor.fields("headers"),
            content: try data?.member("text")?.content(isBase64: isBase64) ?? []
        )
    }
}

extension CassetteResponse {
    fileprivate init(_ cursor: JSONCursor) throws(JSONError) {
        let own = cursor.member("_respite")
        let body = cursor.member("content")
        let isBase64 = try body?.member("encoding")?.text() == "base64"
        let content = try body?.member("text")?.content(isBase64: isBase64) ?? []
        self.init(
            status: UInt16(try cursor.requiredMember("status").integer(in: 200...599)),
            reason: try cursor.member("statusText")?.text() ?? "",
            fields: try cursor.fields("headers"),
            content: content,
            trailers: try own?.fields("trailers") ?? [],
            pieces: try own?.member("pieces")?.pieces(of: content.count) ?? []
        )
    }
}

extension JSONCursor {
    /// The fields of a message; throws if HTTP cannot carry one of them.
    fileprivate func fields(_ name: String) throws(JSONError) -> [CassetteField] {
        var fields: [CassetteField] = []
        for element in try member(name)?.elements() ?? [] {
            let name = try element.requiredMember("name")
            let value = try element.requiredMember("value")
            let field = CassetteField(try name.text(), try value.text())
            guard field.name.hasPrefix(":") || Token.isToken(Array(field.name.utf8).span) else {
                throw name.error("must be the name of a field")
            }
            guard !field.value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
                throw value.error("must have no line ends or other controls")
            }
            fields.append(field)
        }
        return fields
    }

    fileprivate func texts(_ name: String) throws(JSONError) -> [String] {
        var texts: [String] = []
        for element in try member(name)?.elements() ?? [] { texts.append(try element.text()) }
        return texts
    }

    fileprivate func content(isBase64: Bool) throws(JSONError) -> [UInt8] {
        let text = try text()
        guard isBase64 else { return Array(text.utf8) }
        guard let bytes = Base64.decode(text.utf8) else { throw error("must be Base64") }
        return bytes
    }

    /// The pieces; none if they do not fit the content, as after an edit by hand.
    fileprivate func pieces(of size: Int) throws(JSONError) -> [CassettePiece] {
        var pieces: [CassettePiece] = []
        for element in try elements() {
            let count = try element.requiredMember("bytes").integer(in: 0...Int64(Int32.max))
            pieces.append(CassettePiece(count: Int(count), time: max(0, element.member("ms")?.number ?? 0)))
        }
        return pieces.reduce(0) { $0 + $1.count } == size ? pieces : []
    }

    /// The number; nil if this is none.
    fileprivate var number: Double? {
        switch value {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .boolean, .text, .array, .object: nil
        }
    }
}
