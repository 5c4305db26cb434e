import HTTPCore
public import Transforms

/// Removes, sets and adds response fields, in this order.
///
/// It cannot change fields that frame the content, belong to one connection, describe the content's codings, or report
/// what a proxy did. A pattern does not match Set-Cookie, which must be named literally.
public struct FieldsTransformer: StreamingTransformer {
    /// A field to set or add.
    public struct Line: Sendable, Equatable {
        public var name: String
        public var dependsOnRequest: Bool { false }
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private let removed: [FieldNamePattern]
    private let set: [Line]
    private let added: [Line]

    /// - Parameters:
    ///   - set: replace all lines with that name.
    ///   - add: are appended to the fields.
    ///   - remove: names, in which `*` matches any characters.
    public init(set: [Line] = [], add: [Line] = [], remove: [String] = []) throws(TransformerOptionError) {
        guard !(set.isEmpty && add.isEmpty && remove.isEmpty) else {
            throw TransformerOptionError("`fields` has nothing to `set`, `add` or `remove`")
        }
        var removed: [FieldNamePattern] = []
        for name in remove { removed.append(try FieldNamePattern(name)) }
        self.removed = removed
        self.set = try Self.checked(set)
        added = try Self.checked(add)
        var names: Set<[UInt8]> = []
        for line in set where !names.insert(line.name.utf8.map(\.asciiLowercased)).inserted {
            throw TransformerOptionError("`fields` sets `\(line.name)` twice; use `add` for another line")
        }
    }

    private static func checked(_ lines: [Line]) throws(TransformerOptionError) -> [Line] {
        for line in lines {
            let name = Array(line.name.utf8)
            guard Token.isToken(name.span), !name.contains(0x2A) else {
                throw TransformerOptionError("`fields` has \(Quoted(name)), which is not a field name")
            }
            try ProtectedFields.check(name)
            // Blanks around a value do not belong to it (RFC 9110 §5.5).
            let value = Array(line.value.utf8)
            let hasControls = value.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
            let blanks: [UInt8] = [0x20, 0x09]
            guard !hasControls, !blanks.contains(value.first ?? 0), !blanks.contains(value.last ?? 0) else {
                throw TransformerOptionError(
                    "`fields` has a value for `\(line.name)` with control characters, or blanks at an end"
                )
            }
        }
        return lines
    }

    public var name: String { "fields" }
    public var fingerprint: String {
        func list(_ lines: [Line]) -> String {
            lines.map { "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)" }.joined()
        }
        return "fields:-\(removed.map(\.text).joined(separator: ",")):=\(list(set)):+\(list(added))"
    }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        if !removed.isEmpty {
            let fields = head.fields
            head.fields.removeLines { line in fields.withName(line) { name in removed.contains { $0.matches(name) } } }
        }
        for line in set {
            head.fields.remove(named: Array(line.name.utf8))
            head.fields.append(name: line.name, value: line.value)
        }
        for line in added { head.fields.append(name: line.name, value: line.value) }
        return nil
    }
}
