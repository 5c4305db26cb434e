/// A host with an optional port (H-057, H-061, H-063).
public struct ReferenceAuthority: Equatable, Sendable {
    /// As it stands there, brackets included.
    public var host: [UInt8]
    public var port: Int?

    /// Nil if `text` is none.
    init?(_ text: [UInt8]) {
        let portColon: Int?
        if text.first == byte("[") {
            guard let bracket = text.firstIndex(of: byte("]")) else { return nil }
            host = Array(text[...bracket])
            guard isAddressV6(String(decoding: text[1..<bracket], as: UTF8.self)) else { return nil }
            portColon = bracket + 1 < text.count ? bracket + 1 : nil
        } else {
            portColon = text.firstIndex(of: byte(":"))
            host = Array(text[..<(portColon ?? text.count)])
            guard isName(host) else { return nil }
        }
        guard let portColon else { return }
        guard text[portColon] == byte(":") else { return nil }
        let digits = Array(text[(portColon + 1)...])
        if digits.isEmpty { return }
        guard digits.count <= 5, digits.allSatisfy(isDigit), let value = number(digits), (1...65535).contains(value)
        else { return nil }
        port = Int(value)
    }
}

/// A registered name without escapes and commas, at most 255 bytes, that nobody takes for another address than it is.
private func isName(_ host: [UInt8]) -> Bool {
    guard !host.isEmpty, host.count <= 255 else { return false }
    guard host.allSatisfy({ isLetter($0) || isDigit($0) || bytes("-._~!$&'()*+;=").contains($0) }) else {
        return false
    }
    let labels = host.split(separator: byte("."), omittingEmptySubsequences: false).map(Array.init)
    let last = labels.last?.isEmpty == true && labels.count > 1 ? labels[labels.count - 2] : labels[labels.count - 1]
    let isHexadecimal = last.count >= 2 && last[0] == byte("0") && lowercased(last)[1] == byte("x")
    let isNumeric =
        isHexadecimal
        ? last.dropFirst(2).allSatisfy { hexadecimal($0) != nil } : !last.isEmpty && last.allSatisfy(isDigit)
    return !isNumeric || isAddressV4(String(decoding: host, as: UTF8.self))
}

/// Four decimal numbers up to 255 without leading zeros.
private func isAddressV4(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return parts.count == 4
        && parts.allSatisfy { part in
            guard (1...3).contains(part.count), part.utf8.allSatisfy(isDigit), let value = Int(part) else {
                return false
            }
            return value <= 255 && String(value) == part
        }
}

/// RFC 4291 §2.2, without zones.
private func isAddressV6(_ text: String) -> Bool {
    guard let gap = firstGap(text) else { return groups(text, mayEndInV4: true) == 8 }
    let before = String(text[..<gap.lowerBound])
    let after = String(text[gap.upperBound...])
    guard firstGap(after) == nil, !after.hasPrefix(":") else { return false }
    guard let left = before.isEmpty ? 0 : groups(before, mayEndInV4: false),
        let right = after.isEmpty ? 0 : groups(after, mayEndInV4: true)
    else { return false }
    return left + right < 8
}

private func firstGap(_ text: String) -> Range<String.Index>? {
    var at = text.startIndex
    while at < text.endIndex {
        let next = text.index(after: at)
        if text[at] == ":", next < text.endIndex, text[next] == ":" { return at..<text.index(after: next) }
        at = next
    }
    return nil
}

/// How many groups of 16 bits `text` has; nil if it has others.
private func groups(_ text: String, mayEndInV4: Bool) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    var count = 0
    for (place, part) in parts.enumerated() {
        if mayEndInV4, place == parts.count - 1, isAddressV4(part) {
            count += 2
        } else if (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ hexadecimal($0) != nil }) {
            count += 1
        } else {
            return nil
        }
    }
    return count
}
