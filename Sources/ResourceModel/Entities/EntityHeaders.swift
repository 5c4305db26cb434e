import HTTPCore
import ResourceCore

/// Header fields as programs see them: names in lower case, one value for each (S-079).
struct EntityHeaders: Sendable, Equatable {
    private(set) var values: [String: String] = [:]

    init() {}

    /// Of names that differ only in case one wins: the last in byte order.
    ///
    /// If there is a lower-case name, it wins (S-258: the same winner each time).
    init(_ headers: [String: String]) {
        for name in headers.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            values[Self.key(name)] = headers[name]
        }
    }

    /// The lines of one name are joined with a comma and a blank (RFC 9110 §5.3).
    init(_ fields: Fields) {
        for line in fields.lines {
            let name = Self.key(String(decoding: fields.name(of: line), as: UTF8.self))
            let value = String(decoding: fields.value(of: line), as: UTF8.self)
            values[name] = values[name].map { "\($0), \(value)" } ?? value
        }
    }

    subscript(name: String) -> String? {
        get { values[Self.key(name)] }
        set { values[Self.key(name)] = newValue }
    }

    /// Only ASCII letters have case in names.
    private static func key(_ name: String) -> String {
        guard name.utf8.contains(where: { 0x41...0x5A ~= $0 }) else { return name }
        return String(decoding: name.utf8.map(\.asciiLowercased), as: UTF8.self)
    }
}
