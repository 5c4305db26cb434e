import HTTPCore

/// A dictionary of Structured Fields (RFC 9651 §3.2), as far as caching needs its values.
///
/// The whole syntax is checked, parameters too; values of types that caching does not need become `other`.
struct StructuredDictionary {
    typealias Value = StructuredValue

    /// In the order of first appearance; the last value of a key counts.
    private(set) var members: [(key: [UInt8], value: Value)] = []

    /// Nil on any syntax error.
    init?(parsing text: [UInt8]) {
        var scanner = StructuredFieldScanner(text)
        scanner.skipSpaces()
        while !scanner.isAtEnd {
            guard let key = scanner.key(), let value = scanner.memberValue() else { return nil }
            set(key, value)
            scanner.skipBlanks()
            if scanner.isAtEnd { return }
            guard scanner.skip(0x2C) else { return nil }
            scanner.skipBlanks()
            if scanner.isAtEnd { return nil }
        }
    }

    private mutating func set(_ key: [UInt8], _ value: Value) {
        if let index = members.firstIndex(where: { $0.key == key }) {
            members[index].value = value
        } else {
            members.append((key, value))
        }
    }
}
