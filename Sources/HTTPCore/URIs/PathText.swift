/// Brings paths and queries to a normal form, in which different spellings are equal; for comparing only.
enum PathText {
    /// `/ ? # %`: an escaped delimiter does not mean the same as a plain one.
    static let pathDelimiters: [UInt8] = [0x2F, 0x3F, 0x23, 0x25]
    /// `& = + ; , # %`, the delimiters of names and values among them.
    static let queryDelimiters: [UInt8] = [0x26, 0x3D, 0x2B, 0x3B, 0x2C, 0x23, 0x25]

    /// The path without dot segments, with escapes undone except those of delimiters (RFC 3986 §6.2.2).
    static func normalized(_ path: ArraySlice<UInt8>) -> [UInt8] {
        let text = unescaped(path, keeping: pathDelimiters)
        return hasDotSegment(text[...]) ? TargetURI.withoutDotSegments(text) : text
    }

    /// Whether `normalized` would return the path as it is.
    static func isNormal(_ path: ArraySlice<UInt8>) -> Bool { !path.contains(0x25) && !hasDotSegment(path) }

    /// The text with escapes undone, except those of `delimiters`, whose digits become upper-case.
    static func unescaped(_ text: ArraySlice<UInt8>, keeping delimiters: [UInt8]) -> [UInt8] {
        guard text.contains(0x25) else { return Array(text) }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex { result += next(text, &index, keeping: delimiters) }
        return result
    }

    /// The byte at `index`, or the byte of the escape there; advances `index`.
    static func next(_ text: ArraySlice<UInt8>, _ index: inout Int, keeping delimiters: [UInt8]) -> [UInt8] {
        guard let meant = PercentEncoding.byte(of: text, at: index) else {
            defer { index += 1 }
            return [text[index]]
        }
        index += 3
        guard delimiters.contains(meant) else { return [meant] }
        return [0x25, Hexadecimal.capital(meant >> 4), Hexadecimal.capital(meant & 0x0F)]
    }

    private static func hasDotSegment(_ path: ArraySlice<UInt8>) -> Bool {
        for index in path.indices where path[index] == 0x2E && index > path.startIndex && path[index - 1] == 0x2F {
            let rest = path[(index + 1)...]
            let isTwo = rest.first == 0x2E
            let behind = isTwo ? rest.dropFirst() : rest
            if behind.isEmpty || behind.first == 0x2F { return true }
        }
        return false
    }
}

extension TargetURI {
    /// The path without the query.
    public var pathWithoutQuery: ArraySlice<UInt8> { bytes[pathRange].prefix { $0 != 0x3F } }

    /// The text after the `?`; nil if there is none.
    public var query: ArraySlice<UInt8>? {
        bytes[pathRange].firstIndex(of: 0x3F).map { bytes[($0 + 1)..<pathRange.upperBound] }
    }

    /// The path as a base, with a slash at its end.
    var directory: [UInt8] { pathWithoutQuery + (pathWithoutQuery.last == 0x2F ? [] : [0x2F]) }
}

extension TargetURI {
    /// Whether this URI is `base` or below it: same origin, and a path that begins with the segments of the base.
    ///
    /// The base's query, and a slash at the end of its path, do not matter; different spellings of a path are equal.
    package func isUnder(_ base: TargetURI) -> Bool {
        guard hasSameOrigin(as: base) else { return false }
        var prefix = PathText.normalized(base.pathWithoutQuery)
        if prefix.last == 0x2F { prefix.removeLast() }
        let path = PathText.normalized(pathWithoutQuery)
        return path.starts(with: prefix) && (path.count == prefix.count || path[prefix.count] == 0x2F)
    }
}
