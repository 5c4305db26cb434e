import HTTPCore

/// The secret values that were seen, and where they stand in other bytes.
///
/// It does not search for values of fewer than 8 bytes, or of letters alone and fewer than 16: ordinary text may have
/// them.
public struct SecretIndex: Sendable {
    /// What each value is: `Authorization`.
    private var names: [[UInt8]: String] = [:]
    /// The values as messages may have them, by their first eight bytes; of each list, the longest is first.
    private var forms: [UInt64: [(bytes: [UInt8], name: String)]] = [:]

    private static let least = 8
    private static let leastWord = 16

    public init() {}

    public var isEmpty: Bool { names.isEmpty }

    /// Notes a value as it is, and percent-encoded as in a URL.
    ///
    /// - Parameter name: what it is, for people.
    public mutating func insert(_ secret: [UInt8], name: String) {
        guard Self.isSearchable(secret), names.updateValue(name, forKey: secret) == nil else { return }
        var all: Set<[UInt8]> = [secret]
        all.insert(Self.escaped(secret, Hexadecimal.capital))
        all.insert(Self.escaped(secret, Hexadecimal.digit))
        for form in all {
            var others = forms[Self.head(form[...]), default: []]
            guard !others.contains(where: { $0.bytes == form }) else { continue }
            others.append((form, name))
            forms[Self.head(form[...])] = others.sorted { $0.bytes.count > $1.bytes.count }
        }
    }

    private static func isSearchable(_ secret: [UInt8]) -> Bool {
        guard secret.count >= least, secret != Array(Scrubber.replacement.utf8) else { return false }
        return secret.count >= leastWord || secret.contains { $0.asciiLowercased &- 0x61 >= 26 }
    }

    /// The ranges at which secrets stand, ascending, without overlaps.
    public func occurrences(in bytes: [UInt8]) -> [(range: Range<Int>, name: String)] {
        guard !forms.isEmpty, bytes.count >= Self.least else { return [] }
        var found: [(range: Range<Int>, name: String)] = []
        var head: UInt64 = 0
        var free = 0
        for index in bytes.indices {
            head = head << 8 | UInt64(bytes[index])
            let start = index - Self.least + 1
            guard start >= free, let candidates = forms[head] else { continue }
            guard let match = candidates.first(where: { bytes[start...].starts(with: $0.bytes) }) else { continue }
            free = start + match.bytes.count
            found.append((start..<free, match.name))
        }
        return found
    }

    /// The text without the secrets.
    func scrubbed(_ text: String) -> String {
        let edits = edits(in: Array(text.utf8))
        guard !edits.isEmpty else { return text }
        var (bytes, pieces) = (Array(text.utf8), [CassettePiece]())
        ContentEdit.apply(edits, to: &bytes, &pieces)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The changes that remove the secrets.
    func edits(in bytes: [UInt8]) -> [ContentEdit] {
        occurrences(in: bytes).map { ContentEdit(range: $0.range, replacement: Array(Scrubber.replacement.utf8)) }
    }

    /// The first eight bytes as a number.
    private static func head(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.prefix(least).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The value percent-encoded, as in a parameter.
    private static func escaped(_ bytes: [UInt8], _ digit: (UInt8) -> UInt8) -> [UInt8] {
        bytes.flatMap { byte in
            let isPlain =
                byte.asciiLowercased &- 0x61 < 26 || byte &- 0x30 < 10 || "-._~".utf8.contains(byte)
            return isPlain ? [byte] : [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
        }
    }
}
