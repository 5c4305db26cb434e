public import HTTPCore

/// Whose answers a rule keeps together.
public enum RulePartition: Sendable, Hashable {
    /// What may be shared is shared; the rest is its credential's.
    case shared
    /// Every credential has all its answers for itself, what the origin calls `public` included.
    case credential
    /// As `shared`, apart from every other name.
    case named(String)
}

/// What tells entries apart before there is a response, besides URI and credentials.
public struct Keying: Sendable, Equatable {
    public var partition = RulePartition.shared
    /// The rule that says so.
    var partitionRule: String?
    /// Request fields whose values belong to the key; lower-cased, sorted.
    public var fields: [[UInt8]] = []
    var fieldRules: [String] = []

    /// Nothing does.
    public init() {}

    public var isPlain: Bool { partition == .shared && fields.isEmpty }

    /// What tells the key of `request` from others, or nil if nothing does.
    ///
    /// - Parameter digest: a keyed hash, for values that are credentials.
    public func text(
        for request: Fields,
        credentials: CredentialFields,
        digest: ([UInt8]) -> [UInt8]
    ) -> [UInt8]? {
        var name: [UInt8] = []
        if case .named(let text) = partition { name = Array(text.utf8) }
        if name.isEmpty, fields.isEmpty { return nil }
        var text: [UInt8] = []
        text.appendWithLength(name)
        let names = VaryNames(Fields(), adding: fields)
        return text + names.hashedKey(for: request, credentials: credentials, digest: digest)
    }

    /// The text to hash for a partition under a key.
    ///
    /// - Parameter partition: what identifies it without the key.
    public static func text(of partition: [UInt8], key: [UInt8]) -> [UInt8] {
        var text = textWithoutCredential
        text.appendWithLength(partition)
        return text + key
    }

    /// The text to hash for a partition under the name of a host; unlike every text of a credential or key.
    public static func text(of partition: [UInt8], host: [UInt8]) -> [UInt8] {
        var text: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFE]
        text.appendWithLength(partition)
        return text + host
    }

    /// The text to hash for those who have no credential; no text of a credential begins with this length.
    public static let textWithoutCredential: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
}

extension CachingOptions {
    /// What rules say of the key; those that only a response decides about have no part in it.
    public var keying: Keying {
        var keying = Keying()
        guard !rules.isEmpty else { return keying }
        for rule in rules where !rule.isConditional {
            if let partition = rule.partition { (keying.partition, keying.partitionRule) = (partition, rule.name) }
            if !rule.keyFields.isEmpty { keying.fieldRules.append(rule.name) }
            keying.fields += rule.keyFields.map(\.lowercased)
        }
        if !keying.fields.isEmpty {
            keying.fields = Set(keying.fields).sorted { $0.lexicographicallyPrecedes($1) }
        }
        return keying
    }

    /// Whether `private` responses to requests without credentials may be kept, for these alone.
    ///
    /// Only where all clients are one party: elsewhere what tells them apart may be anything.
    public var keepsPrivateWithoutCredential: Bool {
        isLoopbackListener && rules.contains { $0.cacheEven?.contains(.responsePrivate) ?? false }
    }
}
