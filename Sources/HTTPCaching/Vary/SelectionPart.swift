import HTTPCore

/// The part of a selection key for one field.
///
/// For each field a key has the length of the name, the name, and one of the marks below. Unless the field is absent,
/// length and value follow.
public struct SelectionPart: Sendable, Equatable {
    /// The request has no such field.
    static let absent: UInt8 = 0
    /// The value follows as it is, or as a keyed hash of a credential.
    static let plain: UInt8 = 1
    /// A keyed hash of the value follows.
    static let concealed: UInt8 = 2

    /// Lower-cased.
    public let name: [UInt8]
    var mark: UInt8
    /// Empty for an absent field.
    var value: [UInt8]

    /// What may be shown of the field of the request.
    public enum Telling: Sendable, Equatable {
        /// The request had no such field.
        case absent
        case value([UInt8])
        /// The key has only a hash of the value.
        case hidden
    }

    /// - Parameter credentials: the fields whose values are hashed, whatever the mark.
    public func telling(_ credentials: CredentialFields) -> Telling {
        switch mark {
        case Self.absent: .absent
        case Self.plain where !credentials.contains(name): .value(value)
        default: .hidden
        }
    }

    /// The parts of a selection key; nil if it is malformed.
    public static func all(of key: [UInt8]) -> [SelectionPart]? {
        var rest = key[...]
        var parts: [SelectionPart] = []
        while !rest.isEmpty {
            guard let name = rest.takeWithLength(), let mark = rest.popFirst() else { return nil }
            guard mark != absent else {
                parts.append(SelectionPart(name: name, mark: mark, value: []))
                continue
            }
            guard let value = rest.takeWithLength() else { return nil }
            parts.append(SelectionPart(name: name, mark: mark, value: value))
        }
        return parts
    }

    /// Converts a key that an earlier version made; nil if nothing changes, or it is no key.
    ///
    /// Earlier keys had the values of all fields except credentials as they were.
    public static func concealing(
        _ key: [UInt8],
        credentials: CredentialFields,
        digest: ([UInt8]) -> [UInt8]
    ) -> [UInt8]? {
        guard var parts = all(of: key) else { return nil }
        var isChanged = false
        for index in parts.indices where parts[index].mark == plain {
            let part = parts[index]
            guard !credentials.contains(part.name), !PlainFields.contains(part.name) else { continue }
            parts[index].mark = concealed
            parts[index].value = digest(part.value)
            isChanged = true
        }
        return isChanged ? parts.reduce(into: []) { $1.append(to: &$0) } : nil
    }

    private func append(to key: inout [UInt8]) {
        key.appendWithLength(name)
        key.append(mark)
        if mark != Self.absent { key.appendWithLength(value) }
    }
}

extension VaryNames {
    /// Whether `key` is a selection key for exactly these names.
    public func isSelectionKey(_ key: [UInt8]) -> Bool { SelectionPart.all(of: key)?.map(\.name) == names }

    /// Whether the value of a field with this lower-cased name may be stored as it is.
    public static func isPlain(_ name: [UInt8]) -> Bool { PlainFields.contains(name) }
}

extension ArraySlice<UInt8> {
    /// Removes from the start what `appendWithLength` appended; nil if it is incomplete.
    fileprivate mutating func takeWithLength() -> [UInt8]? {
        guard count >= 4 else { return nil }
        let length = prefix(4).reduce(0) { $0 << 8 | Int($1) }
        removeFirst(4)
        guard count >= length else { return nil }
        defer { removeFirst(length) }
        return Array(prefix(length))
    }
}
