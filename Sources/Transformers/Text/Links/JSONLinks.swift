import HTTPCore
import ResourceCore

/// Puts the prefix in front of JSON strings that are absolute URLs as a whole; names of members stay.
///
/// Knows strings and what stands between them, not more: what is no JSON passes through.
final class JSONLinks: LinkScanner {
    private enum Phase {
        case outside
        /// In a string that stays as it is.
        case string
        /// In a string that may be a URL; all of it is held.
        case candidate
        /// Behind one that is; a colon would make it a name.
        case behind
    }

    /// Longer strings are no URLs that anybody follows.
    private static let longest = 8_192

    private let prefix: LinkPrefix
    private var phase = Phase.outside
    /// The octet before was a backslash, within a string.
    private var isEscaped = false
    private var matcher: LinkMatcher
    private var isForeign = false
    private var held: [UInt8] = []

    init(_ prefix: LinkPrefix) {
        self.prefix = prefix
        matcher = LinkMatcher(prefix)
    }

    func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool {
        release(into: &output, asLink: phase == .behind)
        return false
    }

    func runEnd(_ input: Span<UInt8>, from start: Int, to end: Int) -> Int {
        switch phase {
        case .outside: return input.firstIndex(of: 0x22, from: start, to: end)
        case .string where !isEscaped:
            var at = start
            while at < end, input[at] != 0x22, input[at] != 0x5C { at += 1 }
            return at
        case .string, .candidate, .behind: return start
        }
    }

    func take(_ octet: UInt8, _ output: inout [UInt8]) {
        switch phase {
        case .outside: takeOutside(octet, &output)
        case .string:
            output.append(octet)
            if endsString(octet) { phase = .outside }
        case .candidate: takeCandidate(octet, &output)
        case .behind:
            if [0x20, 0x09, 0x0A, 0x0D].contains(octet), held.count < Self.longest {
                held.append(octet)
                return
            }
            release(into: &output, asLink: octet != 0x3A && held.count < Self.longest)
            phase = .outside
            takeOutside(octet, &output)
        }
    }

    private func takeOutside(_ octet: UInt8, _ output: inout [UInt8]) {
        output.append(octet)
        guard octet == 0x22 else { return }
        phase = .candidate
        isEscaped = false
        isForeign = false
        matcher = LinkMatcher(prefix)
    }

    private func takeCandidate(_ octet: UInt8, _ output: inout [UInt8]) {
        held.append(octet)
        let wasEscaped = isEscaped
        if endsString(octet) {
            if settle() {
                phase = .behind
            } else {
                release(into: &output, asLink: false)
                phase = .outside
            }
        } else if held.count >= Self.longest || !fits(octet, wasEscaped) {
            release(into: &output, asLink: false)
            phase = .string
        }
    }

    /// Whether an octet within a string ends it.
    private func endsString(_ octet: UInt8) -> Bool {
        let wasEscaped = isEscaped
        isEscaped = !wasEscaped && octet == 0x5C
        return !wasEscaped && octet == 0x22
    }

    /// Whether the string is still a URL with this octet.
    private func fits(_ octet: UInt8, _ wasEscaped: Bool) -> Bool {
        // An escaped slash is one; other characters may be escaped by number behind the authority.
        if wasEscaped { return octet == 0x2F ? match(octet) : octet == 0x75 && settle() }
        switch octet {
        case 0x5C: return true
        case ...0x20, 0x3C, 0x3E, 0x7F: return false
        default: return match(octet)
        }
    }

    private func match(_ octet: UInt8) -> Bool {
        guard !isForeign else { return true }
        switch matcher.take(octet) {
        case .undecided: return true
        case .foreign:
            isForeign = true
            return true
        case .none: return false
        }
    }

    /// Whether the string is a foreign URL, if its authority ends here at the latest.
    private func settle() -> Bool {
        if !isForeign { isForeign = matcher.end() == .foreign }
        return isForeign
    }

    /// Lets go of what is held.
    private func release(into output: inout [UInt8], asLink isLink: Bool) {
        if isLink { output.append(contentsOf: prefix.octets) }
        output.append(contentsOf: held)
        held.removeAll(keepingCapacity: true)
    }
}
