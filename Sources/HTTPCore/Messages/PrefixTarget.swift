/// The gateway prefix of a path, as in `/http://host/path` or `/https://host/path`.
public enum PrefixTarget: Sendable, Equatable {
    /// The path does not begin like a prefix.
    case none
    /// The parts of the URI after the first slash, as ranges of the head's bytes.
    case parts(TargetParts)
    case invalid(ParseError)
}

extension RequestHead {
    /// Reads the path of an origin-form target as a gateway prefix.
    ///
    /// The text behind the slash must be a valid absolute-form target. A prefix with escapes or missing slashes is
    /// refused, and so is another prefix directly after the authority.
    public func prefixTarget() -> PrefixTarget {
        guard form == .origin else { return .none }
        let bytes = fields.bytes.span
        let range = parts.path.lowerBound + 1..<parts.path.upperBound
        guard Self.resemblesPrefix(bytes, range) else { return .none }
        var inner = TargetParts()
        guard inner.readAbsolute(bytes, range) == nil else {
            return .invalid(ParseError(.badPrefix))
        }
        let nested = inner.path.dropFirst()
        if Self.resemblesPrefix(bytes, nested.startIndex..<nested.endIndex) { return .invalid(ParseError(.badPrefix)) }
        return .parts(inner)
    }

    /// The path with a misspelled gateway prefix corrected.
    ///
    /// Nil if it has none, or would still be refused. Clients misspell it in two ways. pip escapes the colons after
    /// scheme and host in paths that it reads in a page. Programs that join paths like those of files, such as Go,
    /// leave one slash after the scheme.
    public func respeltPrefix() -> [UInt8]? {
        guard form == .origin else { return nil }
        var rest = Array(fields.bytes[parts.path.lowerBound + 1..<parts.path.upperBound])[...]
        guard let scheme = Self.take(["https", "http"], from: &rest), Self.take([":", "%3a"], from: &rest) != nil,
            Self.take(["//", "/"], from: &rest) != nil
        else { return nil }
        let authorityEnd = rest.firstIndex { $0 == 0x2F || $0 == 0x3F } ?? rest.endIndex
        var spelt = Array("/\(scheme)://".utf8)
        var authority = rest[..<authorityEnd]
        while !authority.isEmpty {
            if Self.take(["%3a"], from: &authority) != nil {
                spelt.append(0x3A)
            } else {
                spelt.append(authority.removeFirst())
            }
        }
        spelt += rest[authorityEnd...]
        var inner = TargetParts()
        guard inner.readAbsolute(spelt.span, 1..<spelt.count) == nil else { return nil }
        let nested = inner.path.dropFirst()
        return Self.resemblesPrefix(spelt.span, nested.startIndex..<nested.endIndex) ? nil : spelt
    }

    /// Removes the first of some words (in lower case) with which `bytes` begin, in any case; returns that word.
    private static func take(_ words: [String], from bytes: inout ArraySlice<UInt8>) -> String? {
        let found = words.first { word in
            bytes.prefix(word.utf8.count).elementsEqual(word.utf8) { $0.asciiLowercased == $1 }
        }
        guard let found else { return nil }
        bytes = bytes.dropFirst(found.utf8.count)
        return found
    }

    /// Whether the text begins with `http:` or `https:`, in any case; the colon may be escaped.
    private static func resemblesPrefix(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count >= 5, bytes[range.lowerBound] | 0x20 == 0x68 else { return false }
        for prefix in ["http:", "https:", "http%3a", "https%3a"] as [StaticString] {
            let count = prefix.utf8CodeUnitCount
            guard range.count >= count else { continue }
            if ByteScan.matches(bytes, range.lowerBound..<range.lowerBound + count, prefix) { return true }
        }
        return false
    }
}
