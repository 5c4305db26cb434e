/// Changes to the fields of a message that its owner asks for: lines to remove, fields to set, lines to add.
///
/// It cannot change what frames the content, belongs to one connection or says what a proxy did. Names of fields to
/// remove may be patterns; a pattern does not match Set-Cookie.
public struct FieldEdits: Sendable, Equatable {
    /// Which messages are changed.
    public enum Target: Sendable {
        case request, response
    }

    /// A field to set or add.
    public struct Line: Sendable, Equatable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private let removed: [FieldNamePattern]
    private let set: [Line]
    private let added: [Line]

    public var isEmpty: Bool { removed.isEmpty && set.isEmpty && added.isEmpty }

    /// - Parameters:
    ///   - set: replace all lines with that name.
    ///   - add: are appended to the fields.
    ///   - remove: names, in which `*` matches any characters.
    public init(
        set: [Line] = [],
        add: [Line] = [],
        remove: [String] = [],
        of target: Target
    ) throws(FieldEditError) {
        var removed: [FieldNamePattern] = []
        for name in remove { removed.append(try FieldNamePattern(name, of: target)) }
        self.removed = removed
        self.set = try Self.checked(set, of: target)
        added = try Self.checked(add, of: target)
        var names: Set<[UInt8]> = []
        for line in set where !names.insert(line.name.utf8.map(\.asciiLowercased)).inserted {
            throw FieldEditError("sets `\(line.name)` twice; use `add` for another line")
        }
    }

    private static func checked(_ lines: [Line], of target: Target) throws(FieldEditError) -> [Line] {
        for line in lines {
            let name = Array(line.name.utf8)
            guard Token.isToken(name.span), !name.contains(0x2A) else {
                throw FieldEditError("has \(Quoted(name)), which is not a field name")
            }
            try ProtectedFields.check(name, of: target)
            // Blanks around a value do not belong to it (RFC 9110 §5.5).
            let value = Array(line.value.utf8)
            let hasControls = value.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
            let blanks: [UInt8] = [0x20, 0x09]
            guard !hasControls, !blanks.contains(value.first ?? 0), !blanks.contains(value.last ?? 0) else {
                throw FieldEditError("has a value for `\(line.name)` with control characters, or blanks at an end")
            }
        }
        return lines
    }

    /// Makes the changes: removes, sets, then adds.
    public func apply(to fields: inout Fields) {
        removeOnly(from: &fields)
        for line in set {
            fields.remove(named: Array(line.name.utf8))
            fields.append(name: line.name, value: line.value)
        }
        for line in added { fields.append(name: line.name, value: line.value) }
    }

    /// Removes what is to be removed, and no more.
    public func removeOnly(from fields: inout Fields) {
        guard !removed.isEmpty else { return }
        let copy = fields
        fields.removeLines { line in copy.withName(line) { name in removed.contains { $0.matches(name) } } }
    }

    /// A text that differs for different changes.
    public var fingerprint: String {
        func list(_ lines: [Line]) -> String {
            lines.map { "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)" }.joined()
        }
        return "-\(removed.map(\.text).joined(separator: ",")):=\(list(set)):+\(list(added))"
    }

    /// What changes, without the values, for people: `sets X-A, removes X-B`.
    public var summary: String {
        var parts: [String] = []
        if !removed.isEmpty { parts.append("removes \(removed.map(\.text).joined(separator: ", "))") }
        if !set.isEmpty { parts.append("sets \(set.map(\.name).joined(separator: ", "))") }
        if !added.isEmpty { parts.append("adds \(added.map(\.name).joined(separator: ", "))") }
        return parts.joined(separator: ", ")
    }
}

/// Why fields cannot be changed as asked.
public struct FieldEditError: Error, Sendable, Equatable {
    /// A sentence for people without its subject, which is the name of the setting.
    public var userMessage: String

    public init(_ userMessage: String) { self.userMessage = userMessage }
}
