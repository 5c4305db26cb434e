import HTTPCore

/// What rules changed of how one response is judged, each with the name of the rule.
public final class AppliedRules: Sendable, Equatable {
    /// A number that replaces the origin's.
    public struct Seconds: Sendable, Equatable {
        public let seconds: Int64
        /// The rule's name.
        public let rule: String
    }

    public let lifetime: Seconds?
    /// What the origin's fields give as lifetime, where `lifetime` replaces it.
    let replaced: Lifetime?
    public let staleIfError: Seconds?
    public let staleWhileRevalidate: Seconds?
    /// The rule by which the response is not cached.
    public let neverCachedBy: String?
    /// Lower-cased names added to Vary, and the rules that did it.
    public let varyNames: [[UInt8]]
    public let varyAddedBy: [String]

    /// Nil if no rule has anything to say about the response.
    init?(_ rules: [CachingRule], status: UInt16, fields: Fields, replacing origin: Lifetime) {
        if rules.isEmpty { return nil }
        let type = fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        let applying = rules.filter { $0.applies(toStatus: status, type) }
        lifetime = Self.last(applying.filter { $0.givesLifetime(toStatus: status) }, \.ttlSeconds)
        replaced = lifetime == nil ? nil : origin
        staleIfError = Self.last(applying, \.staleIfErrorSeconds)
        staleWhileRevalidate = Self.last(applying, \.staleWhileRevalidateSeconds)
        let never = applying.last { $0.neverCache != nil }
        neverCachedBy = never?.neverCache == true ? never?.name : nil
        varyNames = applying.flatMap(\.varyAdd).map(\.lowercased)
        varyAddedBy = applying.filter { !$0.varyAdd.isEmpty }.map(\.name)
        if lifetime == nil, staleIfError == nil, staleWhileRevalidate == nil, neverCachedBy == nil, varyNames.isEmpty {
            return nil
        }
    }

    private static func last(_ rules: [CachingRule], _ value: KeyPath<CachingRule, Int64?>) -> Seconds? {
        for rule in rules.reversed() {
            if let seconds = rule[keyPath: value] {
                return Seconds(seconds: DeltaSeconds.clamped(seconds), rule: rule.name)
            }
        }
        return nil
    }

    public static func == (left: AppliedRules, right: AppliedRules) -> Bool {
        left.lifetime == right.lifetime && left.replaced == right.replaced && left.staleIfError == right.staleIfError
            && left.staleWhileRevalidate == right.staleWhileRevalidate && left.neverCachedBy == right.neverCachedBy
            && left.varyNames == right.varyNames && left.varyAddedBy == right.varyAddedBy
    }
}

extension ResponseMetadata {
    /// How long the response is fresh by the origin's fields, whatever rules say.
    var originLifetime: Lifetime {
        applied?.replaced ?? Lifetime(seconds: lifetimeSeconds, source: lifetimeSource)
    }

    /// The window for errors that the response has: a rule's, else the origin's.
    var ownStaleIfErrorSeconds: Int64? { applied?.staleIfError?.seconds ?? control.staleIfErrorSeconds }

    /// The window for validation in the background: a rule's, else the origin's.
    var ownStaleWhileRevalidateSeconds: Int64? {
        applied?.staleWhileRevalidate?.seconds ?? control.staleWhileRevalidateSeconds
    }

    /// Whether a rule forbids to cache the response.
    public var isNeverCached: Bool { applied?.neverCachedBy != nil }
}
