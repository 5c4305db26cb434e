import HTTPCore
import Transforms

/// Inserts the prefix before JSON strings that are entirely an absolute URL; names of members stay.
///
/// It knows only strings and the bytes between them. Content that is not JSON passes through.
final class JSONLinks: LinkScanner {
    private enum Phase {
        case outside
        /// In a string that stays as it is.
        case string
        /// In a string that may be a URL; all of it is held back.
        case candidate
        /// After a string that is a URL; a colon would make it a name.
        case afterCandidate
    }

    /// Longer strings are not taken for URLs.
    private static let longest = 8_192

    private let prefix: LinkPrefix
    private var phase = Phase.outside
    /// Whether the byte before was a backslash inside a string.
    private var isEscaped = false
    private var matcher: LinkMatcher
    private var isForeign = false
    private var pending: [UInt8] = []

    init(_ prefix: LinkPrefix) {
        self.prefix = prefix
        matcher = LinkMatcher(prefix)
    }

    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        release(into: &output, asLink: phase == .afterCandidate)
        return false
    }

    func runEnd(_ input: Span<UInt8>, from start: Int, to end: Int) -> Int {
        switch phase {
        case .outside: return input.firstIndex(of: 0x22, from: start, to: end)
        case .string where !isEscaped:
            var at = start
            while at < end, input[at] != 0x22, input[at] != 0x5C { at += 1 }
            return at
        case .string, .candidate, .afterCandidate: return start
        }
    }

    func consume(_ byte: UInt8, _ output: inout [UInt8]) {
        switch phase {
        case .outside: takeOutside(byte, &output)
        case .string:
            output.append(byte)
            if endsString(byte) { phase = .outside }
        case .candidate: takeCandidate(byte, &output)
        case .afterCandidate:
            if [0x20, 0x09, 0x0A, 0x0D].contains(byte), pending.count < Self.longest {
                pending.append(byte)
                return
            }
            release(into: &output, asLink: byte != 0x3A && pending.count < Self.longest)
            phase = .outside
            takeOutside(byte, &output)
        }
    }

    private func takeOutside(_ byte: UInt8, _ output: inout [UInt8]) {
        output.append(byte)
        guard byte == 0x22 else { return }
        phase = .candidate
        isEscaped = false
        isForeign = false
        matcher = LinkMatcher(prefix)
    }

    private func takeCandidate(_ byte: UInt8, _ output: inout [UInt8]) {
        pending.append(byte)
        let wasEscaped = isEscaped
        if endsString(byte) {
            if leadsElsewhere() {
                phase = .afterCandidate
            } else {
                release(into: &output, asLink: false)
                phase = .outside
            }
        } else if pending.count >= Self.longest || !fits(byte, wasEscaped) {
            release(into: &output, asLink: false)
            phase = .string
        }
    }

    /// Whether a byte inside a string ends it.
    private func endsString(_ byte: UInt8) -> Bool {
        let wasEscaped = isEscaped
        isEscaped = !wasEscaped && byte == 0x5C
        return !wasEscaped && byte == 0x22
    }

    /// Whether the string can still be a URL after this byte.
    private func fits(_ byte: UInt8, _ wasEscaped: Bool) -> Bool {
        // An escaped slash is a slash. Other characters may be escaped by number, after the authority.
        if wasEscaped { return byte == 0x2F ? match(byte) : byte == 0x75 && leadsElsewhere() }
        switch byte {
        case 0x5C: return true
        case ...0x20, 0x3C, 0x3E, 0x7F: return false
        default: return match(byte)
        }
    }

    private func match(_ byte: UInt8) -> Bool {
        guard !isForeign else { return true }
        switch matcher.consume(byte) {
        case .undecided: return true
        case .foreign:
            isForeign = true
            return true
        case .none: return false
        }
    }

    /// Whether the string is a foreign URL if its authority ends here at the latest.
    private func leadsElsewhere() -> Bool {
        if !isForeign { isForeign = matcher.end() == .foreign }
        return isForeign
    }

    /// Outputs the bytes that are held back.
    private func release(into output: inout [UInt8], asLink isLink: Bool) {
        if isLink {
            output.append(contentsOf: prefix.bytes)
            prefix.report?(pending)
        }
        output.append(contentsOf: pending)
        pending.removeAll(keepingCapacity: true)
    }
}
