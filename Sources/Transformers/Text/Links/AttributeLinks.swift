import HTTPCore

/// Inserts the prefix before absolute URLs in one attribute value, byte by byte.
///
/// It holds back at most the beginning of one URL, up to the end of its authority.
struct AttributeLinks {
    private enum Phase {
        /// Before a URL: blanks, and commas in a list.
        case leading
        /// In the beginning of a URL, whose bytes are held back.
        case matching
        /// After that beginning.
        case url
        /// After a URL of a list, up to the comma.
        case descriptor
        /// After a URL of a list, inside parentheses.
        case parentheses
    }

    private let prefix: LinkPrefix
    /// Whether the value is a list of URLs with descriptors, as `srcset` is.
    private let isList: Bool
    private var phase = Phase.leading
    private var matcher: LinkMatcher
    private var pending: [UInt8] = []
    /// The bytes of a character reference so far; empty outside a reference.
    private var reference: [UInt8] = []
    /// Whether the URL so far ends with a comma, which in a list ends the URL.
    private var hasComma = false

    init(_ prefix: LinkPrefix, isList: Bool) {
        self.prefix = prefix
        self.isList = isList
        matcher = LinkMatcher(prefix)
    }

    /// Whether the rest of the value cannot contain a link.
    var isDone: Bool { phase == .url && !isList }

    mutating func consume(_ byte: UInt8, _ output: inout [UInt8]) {
        switch phase {
        case .leading:
            if Self.isBlank(byte) || (isList && byte == 0x2C) {
                output.append(byte)
                return
            }
            phase = .matching
            matcher = LinkMatcher(prefix)
            takeMatching(byte, &output)
        case .matching: takeMatching(byte, &output)
        case .url, .descriptor, .parentheses:
            output.append(byte)
            follow(byte)
        }
    }

    /// Ends the value.
    mutating func end(_ output: inout [UInt8]) {
        guard phase == .matching else { return }
        var isForeign = matcher.end() == .foreign
        // An ampersand that begins no reference ends the authority.
        if !reference.isEmpty { isForeign = matcher.consume(0x26) == .foreign }
        release(&output, asLink: isForeign)
    }

    private mutating func takeMatching(_ byte: UInt8, _ output: inout [UInt8]) {
        pending.append(byte)
        var verdict = LinkMatcher.Verdict.undecided
        if reference.isEmpty, byte != 0x26 {
            verdict = matcher.consume(byte)
        } else {
            reference.append(byte)
            if byte == 0x3B || reference.count > Self.longestReference {
                verdict = matcher.consume(Self.character(reference) ?? 0x26)
                reference.removeAll(keepingCapacity: true)
            }
        }
        guard verdict != .undecided || endsInList(byte) else { return }
        if verdict == .undecided { verdict = matcher.end() }
        release(&output, asLink: verdict == .foreign)
        phase = .url
        follow(byte)
    }

    /// Whether a blank ends an incomplete character reference.
    private func endsInList(_ byte: UInt8) -> Bool { isList && Self.isBlank(byte) }

    private mutating func release(_ output: inout [UInt8], asLink isLink: Bool) {
        if isLink {
            output.append(contentsOf: prefix.bytes)
            prefix.report?(pending)
        }
        output.append(contentsOf: pending)
        pending.removeAll(keepingCapacity: true)
        reference.removeAll(keepingCapacity: true)
    }

    /// Finds where the next URL of a list may begin (HTML §4.8.4.2.2).
    private mutating func follow(_ byte: UInt8) {
        guard isList else { return }
        switch phase {
        case .url:
            if Self.isBlank(byte) { phase = hasComma ? .leading : .descriptor }
            hasComma = byte == 0x2C
        case .descriptor:
            if byte == 0x2C { phase = .leading }
            if byte == 0x28 { phase = .parentheses }
        case .parentheses: if byte == 0x29 { phase = .descriptor }
        case .leading, .matching: break
        }
    }

    private static let longestReference = 8

    /// The ASCII character of a reference such as `&#x2F;`.
    ///
    /// Some templates escape the slash.
    private static func character(_ reference: [UInt8]) -> UInt8? {
        let text = String(decoding: reference, as: UTF8.self).lowercased()
        guard text.hasSuffix(";") else { return nil }
        switch text {
        case "&sol;": return 0x2F
        case "&colon;": return 0x3A
        case "&period;": return 0x2E
        default: break
        }
        let number = text.dropFirst().dropLast()
        let value =
            number.hasPrefix("#x") ? UInt8(number.dropFirst(2), radix: 16) : UInt8(number.dropFirst(), radix: 10)
        guard number.hasPrefix("#"), let value, value < 0x80 else { return nil }
        return value
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B }
}
