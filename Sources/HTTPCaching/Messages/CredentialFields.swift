public import HTTPCore

/// Which kinds of credential a request carries.
public struct CredentialPresence: OptionSet, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let cookie = CredentialPresence(rawValue: 1)
    /// Authorization, or a field treated as such.
    public static let authorization = CredentialPresence(rawValue: 2)
}

/// The request fields that distinguish users (C-20.1).
///
/// Authorization and Cookie are always among them.
public struct CredentialFields: Sendable {
    /// The other fields, lower-cased and sorted; they are treated as Authorization is.
    public let names: [[UInt8]]
    /// Bit n is set if `names` has one of n bytes; bit 63 stands for all longer ones.
    private let lengths: UInt64
    /// Whether any of `names` is a known field.
    private let includesKnownFields: Bool

    /// - Parameter names: field names in any case.
    public init(names: [[UInt8]]) {
        let all = Set(names.map(\.lowercased)).subtracting([Array("authorization".utf8), Array("cookie".utf8)])
        self.names = all.sorted { $0.lexicographicallyPrecedes($1) }
        lengths = self.names.reduce(0) { $0 | 1 << UInt64(min(63, $1.count)) }
        includesKnownFields = self.names.contains { KnownField(name: $0) != nil }
    }

    /// The credential fields with the default names.
    public init() { self.init(names: CredentialFields.defaultNames.map { Array($0.utf8) }) }

    public static let defaultNames = [
        "X-Api-Key", "Api-Key", "X-Auth-Token", "X-Access-Token", "Private-Token", "Job-Token", "X-Goog-Api-Key",
        "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key",
    ]

    /// The kinds of credential in `fields`; allocates nothing.
    public func presence(in fields: Fields) -> CredentialPresence {
        var presence: CredentialPresence = []
        if fields.contains(.cookie) { presence.insert(.cookie) }
        if fields.contains(.authorization) || fields.lines.contains(where: { isListed($0, of: fields) }) {
            presence.insert(.authorization)
        }
        return presence
    }

    /// Whether the field with this lower-cased name carries a credential.
    public func contains(_ name: [UInt8]) -> Bool {
        name == Array("authorization".utf8) || name == Array("cookie".utf8) || names.contains(name)
    }

    /// The credentials of a request as one text to hash; nil if there is none.
    ///
    /// It has the lower-cased name and the value of each line, both behind their length (4 bytes, big-endian). Lines
    /// are sorted by name; lines of one name stay in the order received. With `includingCookie` it is the text of
    /// partition P2, else of P1.
    public func text(of fields: Fields, includingCookie: Bool) -> [UInt8]? {
        var members: [(name: [UInt8], value: [UInt8])] = []
        for line in fields.lines {
            let isMember =
                line.known == .authorization || (includingCookie && line.known == .cookie) || isListed(line, of: fields)
            if isMember { members.append((fields.name(of: line).lowercased, fields.value(of: line))) }
        }
        guard !members.isEmpty else { return nil }
        let order = members.indices.sorted { left, right in
            members[left].name == members[right].name
                ? left < right : members[left].name.lexicographicallyPrecedes(members[right].name)
        }
        var text: [UInt8] = []
        for index in order {
            text.appendWithLength(members[index].name)
            text.appendWithLength(members[index].value)
        }
        return text
    }

    private func isListed(_ line: Fields.Line, of fields: Fields) -> Bool {
        guard line.known == nil || includesKnownFields else { return false }
        guard lengths & 1 << UInt64(min(63, line.nameCount)) != 0 else { return false }
        return names.contains { fields.hasName(line, $0) }
    }
}
