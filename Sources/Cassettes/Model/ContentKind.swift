import Formats
import Settings

/// What the content of a message is, by its media type.
package enum ContentKind: Equatable {
    case none
    case json
    /// A JSON text on each line.
    case jsonLines
    case eventStream
    /// `application/x-www-form-urlencoded`.
    case form
    /// `multipart/…`, with the text between its parts.
    case multipart(boundary: String)
    case other

    /// Media types of JSON lines.
    package static let linedTypes: Set<String> = [
        "application/jsonl", "application/x-ndjson", "application/ndjson", "application/json-lines",
        "application/x-jsonlines", "application/stream+json",
    ]

    init(_ fields: [CassetteField], _ content: [UInt8]) {
        guard !content.isEmpty else {
            self = .none
            return
        }
        let type = fields.value(of: "content-type") ?? ""
        let name = type.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        self =
            switch name {
            case "text/event-stream": .eventStream
            case _ where Self.linedTypes.contains(name): .jsonLines
            case _ where name.hasSuffix("/json") || name.hasSuffix("+json"): .json
            case _ where name.hasPrefix("multipart/"): Self.boundary(type).map { .multipart(boundary: $0) } ?? .other
            // Tools such as curl call content a form unless they are given its type, even if it is JSON.
            case _ where Self.beginsLikeJSON(content): .json
            case "application/x-www-form-urlencoded": .form
            default: .other
            }
    }

    private static func beginsLikeJSON(_ content: [UInt8]) -> Bool {
        let first = content.first { !JSONByte.isBlank($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    private static func boundary(_ type: String) -> String? {
        for parameter in type.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].filter({ !$0.isWhitespace }).lowercased() == "boundary" else { continue }
            let value = parts[1].filter { !$0.isWhitespace && $0 != "\"" }
            return value.isEmpty ? nil : value
        }
        return nil
    }
}
