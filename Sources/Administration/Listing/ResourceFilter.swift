import HTTPCore
import Stores

/// Selects resources for a listing, an event stream or a change.
///
/// It has terms separated by blanks, and all must match. A term is a part of a URL, or with an asterisk or a brace a
/// pattern (`URLGlob`). `status:404`, `status:4xx` and `state:WORD` (fresh, stale, loading, error) match the stored
/// response.
struct ResourceFilter: Sendable {
    private enum Term: Sendable {
        case part([UInt8])
        case pattern(URLGlob)
        case status(ClosedRange<UInt16>)
        case state(ResourceStanding)
        /// One resource.
        case whole([UInt8])
    }

    private let terms: [Term]
    /// What it was made of; for one resource its URI.
    let text: String
    /// What the terms about URLs need.
    private let texts: [RequiredText]

    /// Selects all resources.
    static let all = ResourceFilter("", terms: [])

    private init(_ text: String, terms: [Term]) {
        (self.text, self.terms) = (text, terms)
        texts = terms.compactMap { term in
            switch term {
            case .part(let text), .whole(let text): RequiredText(text)
            case .pattern(let glob): RequiredText(of: glob)
            case .status, .state: nil
            }
        }
    }

    init(_ uri: TargetURI) { self.init(uri.text, terms: [.whole(uri.bytes)]) }

    init(_ text: String) throws(AdminRefusal) {
        guard text.utf8.count <= 8192 else { throw AdminRefusal(400, "the filter is longer than 8192 bytes") }
        var terms: [Term] = []
        for word in text.split(separator: " ") { terms.append(try Self.term(word)) }
        guard terms.count <= 16 else { throw AdminRefusal(400, "the filter has more than 16 terms") }
        self.init(text, terms: terms)
    }

    private static func term(_ word: Substring) throws(AdminRefusal) -> Term {
        if word.hasPrefix("status:") {
            guard let range = FilterTerm.statusRange(word.dropFirst(7)) else {
                throw AdminRefusal(400, "the filter's `status:` needs a status such as 404, or a class such as 4xx")
            }
            return .status(range)
        }
        if word.hasPrefix("state:") {
            guard let state = ResourceStanding(rawValue: String(word.dropFirst(6))) else {
                let known = ResourceStanding.allCases.map(\.rawValue).joined(separator: ", ")
                throw AdminRefusal(400, "the filter's `state:` needs one of \(known)")
            }
            return .state(state)
        }
        guard URLGlob.isPattern(word) else { return .part(Array(word.utf8)) }
        let text = String(word)
        do throws(URLGlob.SyntaxError) {
            return .pattern(try URLGlob(text))
        } catch {
            throw AdminRefusal(400, "the pattern `\(text)` is wrong: \(error.message(in: text))")
        }
    }

    /// Whether there are no terms.
    var isEmpty: Bool { terms.isEmpty }

    /// Whether a URI is enough to decide, because all terms are about URLs.
    var isAboutURIs: Bool {
        terms.allSatisfy { term in
            switch term {
            case .part, .pattern, .whole: true
            case .status, .state: false
            }
        }
    }

    /// Whether nothing can match that is only in the store: a load and its failure are in memory.
    var isAboutMemory: Bool {
        terms.contains { term in
            switch term {
            case .state(.loading), .state(.error): true
            case .state(.fresh), .state(.stale), .part, .pattern, .whole, .status: false
            }
        }
    }

    /// Whether the terms about URLs match.
    func matches(_ uri: TargetURI) -> Bool {
        guard mayMatch(uri.bytes.span) else { return false }
        return terms.allSatisfy { term in
            switch term {
            case .pattern(let glob): glob.matches(uri)
            case .whole(let bytes): bytes == uri.bytes
            // Its text was looked for.
            case .part: true
            case .status, .state: true
            }
        }
    }

    /// Whether the URI with these bytes, in canonical form, may match: most others are excluded without being parsed.
    private func mayMatch(_ canonical: Span<UInt8>) -> Bool {
        for text in texts where !text.mayMatch(canonical) { return false }
        return true
    }

    /// The URI with these bytes, in canonical form, if the terms about URLs match.
    func uri(of canonical: Span<UInt8>) -> TargetURI? {
        guard mayMatch(canonical), let uri = TargetURI(canonical: canonical), matches(uri) else { return nil }
        return uri
    }

    /// Whether the other terms match.
    func matches(_ resource: ListedResource) -> Bool {
        terms.allSatisfy { term in
            switch term {
            case .part, .pattern, .whole: true
            case .status(let range): resource.status.map(range.contains) ?? false
            case .state(let state): resource.standings.contains(state)
            }
        }
    }
}

/// The terms about URLs select rows of the store.
extension ResourceFilter: RowTest {
    func uri(of canonical: Span<UInt8>, status: UInt16, contentBytes: Int64) -> TargetURI? { uri(of: canonical) }
    func wants(_ record: StoredSummary) -> Bool { true }
}

/// The state of a resource, with its name in filters.
enum ResourceStanding: String, Sendable, CaseIterable {
    case fresh, stale, loading, error
}
