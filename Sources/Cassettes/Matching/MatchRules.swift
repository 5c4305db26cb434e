/// Which parts of requests must be equal.
public struct MatchRules: Sendable, Equatable {
    /// One part.
    public enum Part: Sendable, Hashable {
        case method
        /// Scheme and authority.
        case host
        case path, query, content
        /// A field, by its name in lower case.
        case field(String)
    }

    public var parts: Set<Part>

    /// Method, URL and content.
    public static let standard = MatchRules(parts: [.method, .host, .path, .query, .content])

    public init(parts: Set<Part>) { self.parts = parts }

    /// Reads `method,url,content,field:accept`, or changes of the standard such as `-host,+field:accept`.
    ///
    /// - Throws: a sentence about a word that is wrong.
    public init(_ text: String) throws(CassetteError) {
        let words = text.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
        let isChange = words.first.map { $0.hasPrefix("+") || $0.hasPrefix("-") } ?? false
        parts = isChange ? Self.standard.parts : []
        for word in words {
            let isSigned = word.hasPrefix("+") || word.hasPrefix("-")
            guard isSigned == isChange else {
                throw CassetteError(place: "`--match`", "has words with and without a sign; write all of them alike")
            }
            let named = try Self.parts(String(isSigned ? word.dropFirst() : word[...]))
            if word.hasPrefix("-") { parts.subtract(named) } else { parts.formUnion(named) }
        }
        guard !parts.isEmpty else { throw CassetteError(place: "`--match`", "names no part; \(Self.hint)") }
    }

    private static let hint = "the parts are method, url, host, path, query, content and field:NAME"

    private static func parts(_ word: String) throws(CassetteError) -> Set<Part> {
        switch word {
        case "method": return [.method]
        case "url": return [.host, .path, .query]
        case "host": return [.host]
        case "path": return [.path]
        case "query": return [.query]
        case "content": return [.content]
        case _ where word.hasPrefix("field:") && word.utf8.count > 6: return [.field(word.dropFirst(6).lowercased())]
        default: throw CassetteError(place: "`--match`", "does not know `\(word)`; \(hint)")
        }
    }
}
