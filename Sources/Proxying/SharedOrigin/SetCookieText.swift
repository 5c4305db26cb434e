import HTTPCore

/// The parts of one Set-Cookie value, parsed as clients parse it (RFC 6265 §5.2).
struct SetCookieText {
    let name: ArraySlice<UInt8>
    let value: ArraySlice<UInt8>
    /// As received, without blanks at the ends; names in lower case.
    let attributes: [(name: [UInt8], text: ArraySlice<UInt8>)]

    /// Returns nil for a cookie without a name: clients disagree about these.
    init?(_ text: [UInt8]) {
        var parts = text.split(separator: 0x3B, omittingEmptySubsequences: false)[...]
        guard let pair = parts.popFirst(), let equals = pair.firstIndex(of: 0x3D) else { return nil }
        name = pair[..<equals].trimmedOfBlanks
        value = pair[(equals + 1)...].trimmedOfBlanks
        guard !name.isEmpty else { return nil }
        attributes = parts.map { part in
            (part.prefix { $0 != 0x3D }.trimmedOfBlanks.map(\.asciiLowercased), part.trimmedOfBlanks)
        }
    }

    /// The value of the last attribute with this name, which clients use; nil if there is none.
    func attribute(_ name: StaticString) -> ArraySlice<UInt8>? {
        guard let text = attributes.last(where: { $0.name.elementsEqual(name) })?.text else { return nil }
        guard let equals = text.firstIndex(of: 0x3D) else { return [] }
        return text[(equals + 1)...].trimmedOfBlanks
    }
}

extension ArraySlice<UInt8> {
    /// Without blanks and tabs at the ends.
    var trimmedOfBlanks: ArraySlice<UInt8> {
        let start = drop { $0 == 0x20 || $0 == 0x09 }
        let end = start.lastIndex { $0 != 0x20 && $0 != 0x09 }
        return end.map { start[...$0] } ?? []
    }
}

extension [UInt8] {
    func elementsEqual(_ text: StaticString) -> Bool { elementsEqual(String(describing: text).utf8) }

    /// Whether it begins with a lower-case text, ignoring case.
    func hasLowercasePrefix(_ text: StaticString) -> Bool {
        prefix(text.utf8CodeUnitCount).map(\.asciiLowercased).elementsEqual(text)
    }
}
