public import Configurations
public import HTTPCaching
public import HTTPCore
public import Outcomes
public import ResourceCore

/// How a request would be answered now, and why, in the words of the decisions themselves.
public struct Explanation: Sendable {
    /// What the cache would do.
    public enum Action: String, Sendable {
        case serve
        /// Serve the response, and validate it in the background.
        case serveAndRefresh = "serve-and-refresh"
        case validate
        case load
        /// Follow a load that is in progress.
        case join
        /// Relay the response, without the store.
        case pass
        /// Refuse: a rule denies the request (403), or the origin may not be asked (504).
        case refuse
        /// Repeat a remembered failure.
        case fail
    }

    /// One stored response, whether the request may get it or not.
    public struct Variant: Sendable {
        public let stored: StoredResponse
        /// `shared`, `credential`, `personal`; nil: another credential's.
        public let partition: String?
        /// The request fields in which it differs from this request; empty: it is selected.
        public let differsIn: [String]
        public let notes: [DecisionNote]
        public let ageSeconds: Int64

        /// The names by which it is purged.
        public var tags: [String] {
            CacheTags.names(of: stored.fields, from: stored.uri).map { String(decoding: $0, as: UTF8.self) }
        }

        public var isSelected: Bool { partition != nil && differsIn.isEmpty }
    }

    public let method: Method
    /// The cache key: the URI that is looked up and sent.
    public let uri: TargetURI
    /// The named part of the service that the URI belongs to.
    public let service: String?
    /// The entries of the configuration that apply, in order.
    public let rules: [String]
    public let mode: ServiceMode
    /// The partitions that the request may use, most specific first; each with the request fields that identify it.
    public let partitions: [(name: String, fields: [String])]
    public let variants: [Variant]
    public let action: Action
    /// The words of Cache-Status; nil if the response would have none.
    public let outcome: CacheOutcome?
    /// The rest of the lifetime, in seconds, of the response that would be served.
    public let ttlSeconds: Int64?
    /// The reasons, in the order of the decisions.
    public let notes: [DecisionNote]
}

extension Explanation {
    /// The Cache-Status of the response, as far as known before the origin answers.
    public var cacheStatus: String? {
        guard let outcome else { return nil }
        let status = CacheStatus(
            outcome.isHit ? .hit : outcome.forward.map { .forwarded($0) } ?? .none,
            ttl: ttlSeconds,
            isCollapsed: outcome.isCollapsed,
            detail: outcome.detail
        )
        return String(decoding: status.bytes, as: UTF8.self)
    }

    /// The whole explanation, as lines for a person.
    public var text: [String] {
        var lines = ["\(method.text) \(uri.text)", "service: \(service ?? "none")"]
        lines.append("rules: \(rules.isEmpty ? "none" : rules.joined(separator: ", "))")
        lines.append("mode: \(mode.rawValue)")
        lines += partitions.map { name, fields in
            "looks into: \(name)" + (fields.isEmpty ? "" : ", by \(fields.joined(separator: ", "))")
        }
        lines.append("outcome: \(action.rawValue)" + (cacheStatus.map { " (Cache-Status: \($0))" } ?? ""))
        lines += notes.flatMap(\.lines)
        for variant in variants { lines += Self.lines(of: variant) }
        return lines
    }

    private static func lines(of variant: Variant) -> [String] {
        let use =
            variant.isSelected
            ? "selected"
            : variant.partition == nil
                ? "another credential's" : "differs in \(variant.differsIn.joined(separator: ", "))"
        let heading =
            "holds: \(variant.stored.status), \(variant.partition ?? "private"), age \(variant.ageSeconds) s, \(use)"
        let tags = variant.tags.isEmpty ? [] : ["  tags: \(variant.tags.joined(separator: ", "))"]
        return [heading] + tags + variant.notes.flatMap(\.lines)
    }
}
