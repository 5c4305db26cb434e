/// What a path says about the prefix gateway: `/http://host/path` and `/https://host/path`.
public enum PrefixTarget: Sendable, Equatable {
    /// The path does not begin like a prefix.
    case none
    /// The parts of the URI behind the first slash, as places in the head.
    case parts(TargetParts)
    case invalid(ParseError)
}

extension RequestHead {
    /// Reads the path of an origin-form target as a gateway prefix.
    ///
    /// What stands behind the slash obeys the rules of an absolute-form target; another prefix right behind the
    /// authority is refused, so is a prefix with escapes or missing slashes.
    public func prefixTarget() -> PrefixTarget {
        guard form == .origin else { return .none }
        let octets = fields.octets.span
        let range = parts.path.lowerBound + 1..<parts.path.upperBound
        guard Self.resemblesPrefix(octets, range) else { return .none }
        var inner = TargetParts()
        guard RequestTarget.absolute(octets, range, into: &inner) == nil else {
            return .invalid(ParseError(.badPrefix))
        }
        let nested = inner.path.dropFirst()
        if Self.resemblesPrefix(octets, nested.startIndex..<nested.endIndex) { return .invalid(ParseError(.badPrefix)) }
        return .parts(inner)
    }

    /// `http:`, `https:` or the same with an escaped colon, in any case.
    private static func resemblesPrefix(_ octets: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count >= 5, octets[range.lowerBound] | 0x20 == 0x68 else { return false }
        for prefix in ["http:", "https:", "http%3a", "https%3a"] as [StaticString] {
            let count = prefix.utf8CodeUnitCount
            guard range.count >= count else { continue }
            if ByteScan.matches(octets, range.lowerBound..<range.lowerBound + count, prefix) { return true }
        }
        return false
    }
}
