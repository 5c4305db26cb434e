public import HTTPCore
public import Transforms

/// A content coding that can be removed and applied (RFC 9110 §8.4.1, RFC 7932, RFC 8878).
public enum ContentCoding: String, Sendable, CaseIterable {
    case gzip, deflate, br, zstd

    /// The coding with this name, in any case; `x-gzip` is gzip.
    public init?(name: Span<UInt8>) {
        if Token.matches(name, "x-gzip") {
            self = .gzip
            return
        }
        guard let coding = Self.allCases.first(where: { Token.matches(name, $0.token) }) else { return nil }
        self = coding
    }

    public init?(name: String) { self.init(name: Array(name.utf8).span) }

    private var token: StaticString {
        switch self {
        case .gzip: "gzip"
        case .deflate: "deflate"
        case .br: "br"
        case .zstd: "zstd"
        }
    }

    /// The content codings that a head declares, in the order they were applied, without `identity`.
    ///
    /// Throws `.unsupported` for an unknown coding, and `.limit` if there are more than `limits` allow.
    public static func list(
        in fields: Fields,
        limits: TransformLimits
    ) throws(TransformFailure) -> [ContentCoding] {
        var codings: [ContentCoding] = []
        for member in ListMembers.members(of: .contentEncoding, in: fields) {
            if Token.matches(member.span, "identity") { continue }
            guard let coding = ContentCoding(name: member.span) else {
                throw TransformFailure(.unsupported, "the content coding \(Quoted(member)) is unknown")
            }
            codings.append(coding)
        }
        guard codings.count <= limits.codings else {
            throw TransformFailure(
                .limit,
                "\(codings.count) content codings are nested, more than \(limits.codings); see `content-codings`"
            )
        }
        return codings
    }
}
