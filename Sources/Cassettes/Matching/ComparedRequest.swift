import Formats
import JSON
import Settings

/// A request in the parts that are compared.
struct ComparedRequest: Sendable {
    /// Content as it is compared.
    enum Content: Sendable, Equatable {
        case none
        /// With the members of all objects sorted: order and white space do not count.
        case json(JSONValue)
        /// Bytes. Multipart content has a fixed boundary here, since clients make up a new one for each request.
        case bytes([UInt8])
    }

    let request: CassetteRequest
    let location: RequestLocation
    let content: Content

    init(_ request: CassetteRequest) {
        self.request = request
        location = request.location
        content = Self.content(request)
    }

    private static func content(_ request: CassetteRequest) -> Content {
        switch ContentKind(request.fields, request.content) {
        case .none: return .none
        case .json:
            guard let value = try? JSONReader.parse(request.content, sizeLimit: .max, depthLimit: 128) else {
                return .bytes(request.content)
            }
            return .json(value.sorted)
        case .multipart(let boundary):
            return .bytes(replacing(Array(boundary.utf8), by: Array("boundary".utf8), in: request.content))
        case .jsonLines, .eventStream, .form, .other: return .bytes(request.content)
        }
    }

    private static func replacing(_ old: [UInt8], by new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = bytes[...]
        while let first = rest.first {
            if first == old.first, rest.starts(with: old) {
                output += new
                rest = rest.dropFirst(old.count)
            } else {
                output.append(first)
                rest = rest.dropFirst()
            }
        }
        return output
    }

    /// A text that is equal for requests that match by `rules`, and for no others.
    func key(_ rules: MatchRules) -> [UInt8] {
        var writer = JSONWriter(escaping: .required)
        writer.array { writer in
            if rules.parts.contains(.method) { writer.text(request.method) }
            if rules.parts.contains(.host) { writer.text(location.host) }
            if rules.parts.contains(.path) { writer.text(location.path) }
            if rules.parts.contains(.query) { writer.text(location.query.map { "?\($0)" } ?? "") }
            for name in Self.fields(rules) { writer.text(request.fields.value(of: name).map { "=\($0)" } ?? "") }
            if rules.parts.contains(.content) { writer.content(content) }
        }
        return writer.bytes
    }

    /// The fields that are compared, sorted.
    static func fields(_ rules: MatchRules) -> [String] {
        rules.parts.compactMap { part in if case .field(let name) = part { name } else { nil } }.sorted()
    }
}

extension JSONWriter {
    /// Writes content such that different contents give different texts.
    fileprivate mutating func content(_ content: ComparedRequest.Content) {
        switch content {
        case .none: null()
        case .json(let value): array { $0.value(value) }
        case .bytes(let bytes): text(bytes: bytes)
        }
    }
}

extension JSONValue {
    /// The same value with the members of each object sorted by name.
    var sorted: JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.map { Member(name: $0.name, value: $0.value.sorted) }
                    .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            )
        case .array(let elements): .array(elements.map(\.sorted))
        case .null, .boolean, .integer, .real, .text: self
        }
    }
}
