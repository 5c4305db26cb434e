public import HTTPCore

/// The request fields that select a response, as its `Vary` lists them (RFC 9110 §12.5.5).
public struct VaryNames: Sendable, Equatable {
    /// Nil if no field selects.
    private let members: VaryMembers?

    /// Reads all `Vary` lines of a response.
    ///
    /// - Parameters:
    ///   - added: further names that select, by a rule; lower-cased.
    ///   - ignored: members to ignore, `*` perhaps among them; lower-cased.
    public init(_ response: borrowing Fields, adding added: [[UInt8]] = [], ignoring ignored: [[UInt8]] = []) {
        let list = response.combined(.vary)
        if list == nil, added.isEmpty {
            self.members = nil
            return
        }
        var members = (list ?? []).plainMembers + added
        if !ignored.isEmpty { members.removeAll { ignored.contains($0.lowercased) } }
        // A member that is no field name could mean anything: such a response answers one request only.
        let isAny = !members.allSatisfy { Token.isToken($0.span) } || members.contains([0x2A])
        let names = isAny ? [] : Set(members.map(\.lowercased)).sorted { $0.lexicographicallyPrecedes($1) }
        self.members = names.isEmpty && !isAny ? nil : VaryMembers(names, isAny: isAny)
    }

    /// Lower-cased, sorted, without repetition; empty if all requests match, or none does.
    public var names: [[UInt8]] { members?.names ?? [] }
    /// `*` was among the members: no request matches (RFC 9111 §4.1).
    public var isAny: Bool { members?.isAny ?? false }
    /// Whether no field selects: one response serves all requests.
    public var isEmpty: Bool { members == nil }

    /// Bytes of memory beyond this value.
    var heapBytes: Int {
        guard let members else { return 0 }
        let names = members.names.reduce(0) { $0 + HeapSize.array($1) }
        return HeapSize.object(40) + HeapSize.array(members.names) + HeapSize.array(members.known)
            + HeapSize.array(members.isPlain) + names
    }

    /// The selecting fields of a request in normal form: requests that match have equal keys (RFC 9111 §4.1).
    ///
    /// Names and values follow their lengths; an absent field differs from an empty one. Values of fields that are not
    /// `PlainFields` are replaced by their `digest`, a keyed hash, so that the key may be stored. Empty if no field
    /// selects.
    public func selectionKey(
        for request: Fields,
        credentials: CredentialFields,
        digest: ([UInt8]) -> [UInt8]
    ) -> [UInt8] {
        key(for: request, conceals: true, credentials, digest)
    }

    /// The same for a key that is hashed as a whole, and never stored: only values of credentials are replaced.
    func hashedKey(
        for request: Fields,
        credentials: CredentialFields,
        digest: ([UInt8]) -> [UInt8]
    ) -> [UInt8] {
        key(for: request, conceals: false, credentials, digest)
    }

    private func key(
        for request: Fields,
        conceals: Bool,
        _ credentials: CredentialFields,
        _ digest: ([UInt8]) -> [UInt8]
    ) -> [UInt8] {
        guard let members else { return [] }
        var key: [UInt8] = []
        key.reserveCapacity(128)
        for index in members.names.indices {
            let name = members.names[index]
            key.appendWithLength(name)
            guard let value = FieldNormalization.value(of: name, members.known[index], in: request) else {
                key.append(SelectionPart.absent)
                continue
            }
            if credentials.contains(name) {
                key.append(SelectionPart.plain)
                key.appendWithLength(digest(value))
            } else if conceals, !members.isPlain[index] {
                key.append(SelectionPart.concealed)
                key.appendWithLength(digest(value))
            } else {
                key.append(SelectionPart.plain)
                key.appendWithLength(value)
            }
        }
        return key
    }
}

/// The content of `VaryNames` that are not empty; never changes.
private final class VaryMembers: Sendable, Equatable {
    let names: [[UInt8]]
    let isAny: Bool
    /// The known field of each name.
    let known: [KnownField?]
    /// Whether the value of each name may be stored as it is.
    let isPlain: [Bool]

    init(_ names: [[UInt8]], isAny: Bool) {
        self.names = names
        self.isAny = isAny
        known = names.map { KnownField(name: $0) }
        isPlain = names.map(PlainFields.contains)
    }

    static func == (left: VaryMembers, right: VaryMembers) -> Bool {
        left === right || left.names == right.names && left.isAny == right.isAny
    }
}

extension Fields {
    /// Whether `line` has this lower-cased name.
    func hasName(_ line: Line, _ name: [UInt8]) -> Bool {
        guard Int(line.nameCount) == name.count else { return false }
        return withName(line) { text in
            for index in name.indices where text[index].asciiLowercased != name[index] { return false }
            return true
        }
    }
}
