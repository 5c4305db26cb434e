/// A recorded request, or one that is compared with those of a cassette.
public struct CassetteRequest: Sendable, Equatable {
    public var method: String
    /// The absolute URL.
    public var url: String
    /// The end-to-end fields, without `Host`.
    public var fields: [CassetteField]
    /// The content; empty if there is none.
    public var content: [UInt8]

    public init(method: String, url: String, fields: [CassetteField] = [], content: [UInt8] = []) {
        self.method = method
        self.url = url
        self.fields = fields
        self.content = content
    }

    /// `POST http://api.example/v1/chat`.
    public var title: String { "\(method) \(url)" }

    /// The URL in its parts.
    var location: RequestLocation { RequestLocation(url) }
}

/// The parts of an absolute URL.
struct RequestLocation: Equatable {
    /// The scheme and the authority: `https://api.example:8443`.
    var host: String
    var path: String
    /// Without the question mark; nil if there is none.
    var query: String?

    init(_ url: String) {
        let bytes = Array(url.utf8)
        let authority = Self.authorityStart(bytes)
        let pathStart = bytes[authority...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        let pathEnd = bytes[pathStart...].firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        host = String(decoding: bytes[..<pathStart], as: UTF8.self)
        path = String(decoding: bytes[pathStart..<pathEnd], as: UTF8.self)
        query = pathEnd < bytes.endIndex ? String(decoding: bytes[(pathEnd + 1)...], as: UTF8.self) : nil
    }

    /// The position behind `://`; 0 if there is no scheme.
    private static func authorityStart(_ bytes: [UInt8]) -> Int {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return 0
        }
        return colon + 3
    }

    /// The parameters of the query, as they are written.
    var parameters: [(name: String, value: String)] { query.map(FormText.parameters) ?? [] }
}
