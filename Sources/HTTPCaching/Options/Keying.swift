public import HTTPCore

/// Which clients share stored responses, by a rule.
public enum RulePartition: Sendable, Hashable {
    /// All clients share what may be shared; the rest belongs to one credential.
    case shared
    /// Each credential has its own responses, even responses that the origin calls `public`.
    case credential
    /// As `shared`, but separate for each user of a login.
    case user
    /// As `shared`, but separate from every other name.
    case named(String)
}

/// Parts of the cache key besides URI and credentials; known before there is a response.
public struct Keying: Sendable, Equatable {
    public var partition = RulePartition.shared
    /// The rule that sets `partition`.
    var partitionRule: String?
    /// Request fields whose values belong to the key; lower-cased, sorted.
    public var fields: [[UInt8]] = []
    var fieldRules: [String] = []

    /// A key of URI and credentials alone.
    public init() {}

    public var isEmpty: Bool { partition == .shared && fields.isEmpty }

    /// The text that distinguishes the key of `request` from others; nil if there is none.
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
    /// - Parameter partition: the identity of the partition without the key.
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

    /// The text to hash for a partition of one user; unlike every text of a credential, key or host.
    public static func text(of partition: [UInt8], user: String) -> [UInt8] {
        var text: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFD]
        text.appendWithLength(partition)
        return text + Array(user.utf8)
    }

    /// The text to hash for clients without a credential; no text of a credential begins with this length.
    public static let textWithoutCredential: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
}

extension CachingOptions {
    /// The keying by the rules that do not depend on the response.
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

    /// Whether `private` responses to requests without credentials may be stored, for such requests alone.
    ///
    /// Only where all clients are one party: elsewhere anything may distinguish them.
    public var keepsPrivateWithoutCredential: Bool {
        isLoopbackListener && rules.contains { $0.cacheEven?.contains(.responsePrivate) ?? false }
    }
}
