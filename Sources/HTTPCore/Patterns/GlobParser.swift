/// Reads patterns of target URIs and of hosts.
enum GlobParser {
    /// Reads a pattern: one branch for each combination of its alternatives.
    static func branches(_ text: String) throws(URLGlob.SyntaxError) -> [GlobBranch] {
        var branches: [GlobBranch] = []
        for alternative in try alternatives(text) { branches.append(try branch(alternative)) }
        return branches
    }

    /// The combinations of a pattern's alternatives, each without bytes that no pattern holds.
    static func alternatives(_ text: String) throws(URLGlob.SyntaxError) -> [PatternText] {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else {
            throw URLGlob.SyntaxError(userMessage: "the pattern is empty; `**` is everything", offset: 0)
        }
        guard bytes.count <= URLGlob.limit else {
            throw URLGlob.SyntaxError(
                userMessage: "the pattern is longer than \(URLGlob.limit) bytes",
                offset: URLGlob.limit
            )
        }
        if let blank = bytes.firstIndex(where: { $0 <= 0x20 || $0 == 0x7F }) {
            throw URLGlob.SyntaxError(
                userMessage: "a pattern holds no blank or control character; write `%20` for a blank",
                offset: blank
            )
        }
        if let fragment = bytes.firstIndex(of: 0x23) {
            throw URLGlob.SyntaxError(
                userMessage: "a pattern holds no fragment; leave out `#` and what follows, or write `%23`",
                offset: fragment
            )
        }
        return try PatternText.alternatives(of: bytes)
    }

    private static func branch(_ text: PatternText) throws(URLGlob.SyntaxError) -> GlobBranch {
        let bytes = text.bytes
        guard let schemeEnd = endOfScheme(bytes) else { return GlobBranch(relative: bytes) }
        let scheme = try scheme(text, schemeEnd)
        let (authority, target) = split(bytes, schemeEnd)
        let (host, port) = try self.authority(text, authority)
        let path = target.prefix { $0 != 0x3F }
        // `https://**` reaches over the slash: every path.
        let isAll = path.isEmpty && isAnyHost(bytes, authority) && bytes[authority].starts(with: [0x2A, 0x2A])
        return GlobBranch(
            scheme,
            host,
            port,
            path: isAll ? nil : Self.path(path.isEmpty ? [0x2F] : path, behind: []),
            query: query(target[path.endIndex...])
        )
    }

    // MARK: Parts

    /// The index behind `scheme://`.
    static func endOfScheme(_ bytes: [UInt8]) -> Int? {
        guard let colon = bytes.firstIndex(of: 0x3A), colon + 2 < bytes.count else { return nil }
        guard bytes[colon + 1] == 0x2F, bytes[colon + 2] == 0x2F else { return nil }
        let isScheme = bytes[..<colon].allSatisfy { $0 == 0x2A || $0.asciiLowercased &- 0x61 < 26 }
        return isScheme && colon > 0 ? colon + 3 : nil
    }

    /// The scheme before `end`; nil for `*`.
    static func scheme(_ text: PatternText, _ end: Int) throws(URLGlob.SyntaxError) -> TargetURI.Scheme? {
        switch String(decoding: text.bytes[..<(end - 3)].map(\.asciiLowercased), as: UTF8.self) {
        case "http": return .http
        case "https": return .https
        case "*": return nil
        default:
            throw URLGlob.SyntaxError(
                userMessage: "the scheme of a pattern is `http`, `https` or `*`",
                offset: text.offset(0)
            )
        }
    }

    /// The range of the authority behind the scheme, and what follows it.
    static func split(_ bytes: [UInt8], _ schemeEnd: Int) -> (authority: Range<Int>, target: ArraySlice<UInt8>) {
        let end = bytes[schemeEnd...].firstIndex { $0 == 0x2F || $0 == 0x3F } ?? bytes.endIndex
        return (schemeEnd..<end, bytes[end...])
    }

    /// Whether the host is `*` or `**` alone, with or without a port.
    static func isAnyHost(_ bytes: [UInt8], _ authority: Range<Int>) -> Bool {
        let host = bytes[authority].prefix { $0 != 0x3A }
        return !host.isEmpty && host.allSatisfy { $0 == 0x2A }
    }

    static func authority(
        _ text: PatternText,
        _ range: Range<Int>
    ) throws(URLGlob.SyntaxError) -> (GlobBranch.Host, GlobBranch.Port) {
        if let sign = text.bytes[range].firstIndex(of: 0x40) {
            throw URLGlob.SyntaxError(
                userMessage: "a pattern holds no user name; leave out what stands before `@`",
                offset: text.offset(sign)
            )
        }
        let host = try hostRange(text, range)
        guard !host.isEmpty else {
            throw URLGlob.SyntaxError(
                userMessage: "the pattern has no host; `*` is every host",
                offset: text.offset(range.lowerBound)
            )
        }
        if let byte = text.bytes[host].firstIndex(where: { $0 >= 0x80 || $0 == 0x25 }) {
            throw URLGlob.SyntaxError(
                userMessage: "the host of a pattern is ASCII; write its `xn--` form",
                offset: text.offset(byte)
            )
        }
        let port = try port(text, host.upperBound..<range.upperBound)
        guard !isAnyHost(text.bytes, host) else { return (.any, port ?? .every) }
        return (Self.host(text.bytes[host]), port ?? .standard)
    }

    /// The range of the host, with the brackets of an IPv6 address.
    static func hostRange(
        _ text: PatternText,
        _ range: Range<Int>
    ) throws(URLGlob.SyntaxError) -> Range<Int> {
        let bytes = text.bytes[range]
        guard bytes.first == 0x5B else {
            let colon = bytes.firstIndex(of: 0x3A) ?? range.upperBound
            if let second = bytes[colon...].dropFirst().firstIndex(of: 0x3A) {
                throw URLGlob.SyntaxError(
                    userMessage: "a host has one `:`, before its port; an IPv6 address stands in brackets: `[::1]`",
                    offset: text.offset(second)
                )
            }
            return range.lowerBound..<colon
        }
        guard let close = bytes.firstIndex(of: 0x5D) else {
            throw URLGlob.SyntaxError(userMessage: "nothing closes this `[`", offset: text.offset(range.lowerBound))
        }
        guard close + 1 == range.upperBound || text.bytes[close + 1] == 0x3A else {
            throw URLGlob.SyntaxError(
                userMessage: "behind the `]` of an address stands nothing but `:PORT`",
                offset: text.offset(close + 1)
            )
        }
        return range.lowerBound..<(close + 1)
    }

    /// The port behind the host, with its colon; nil if there is none.
    private static func port(
        _ text: PatternText,
        _ range: Range<Int>
    ) throws(URLGlob.SyntaxError) -> GlobBranch.Port? {
        let digits = text.bytes[range].dropFirst()
        if digits.isEmpty { return nil }
        if digits.allSatisfy({ $0 == 0x2A }) { return .every }
        guard digits.allSatisfy(\.isDigit), let number = UInt16(String(decoding: digits, as: UTF8.self)), number > 0
        else {
            throw URLGlob.SyntaxError(
                userMessage: "the port of a pattern is a number from 1 to 65535, or `*` for every port",
                offset: text.offset(digits.startIndex)
            )
        }
        return .number(number)
    }

    /// A host that is not `*` alone; a dot at its end does not count.
    private static func host(_ bytes: ArraySlice<UInt8>) -> GlobBranch.Host {
        let lowered = bytes.map(\.asciiLowercased)
        let host = lowered.last == 0x2E && lowered.count > 1 ? lowered.dropLast() : lowered[...]
        guard host.contains(0x2A) else { return GlobBranch.Host(literal: Array(host)) }
        let pieces = BytePattern.pieces(host, delimiter: 0x2E) { text, index in
            defer { index += 1 }
            return [text[index]]
        }
        return .text(BytePattern(pieces, delimiters: [0x2E, 0x5B, 0x5D]))
    }

    static func path(_ bytes: ArraySlice<UInt8>, behind prefix: [BytePattern.Piece]) -> BytePattern {
        let pieces = BytePattern.pieces(bytes, delimiter: 0x2F) {
            PathText.next($0, &$1, keeping: PathText.pathDelimiters)
        }
        return BytePattern(prefix + pieces, delimiters: [0x2F])
    }

    /// - Parameter bytes: what follows the path: nothing, or `?` and the query.
    static func query(_ bytes: ArraySlice<UInt8>) -> BytePattern? {
        guard !bytes.isEmpty else { return nil }
        let pieces = BytePattern.pieces(bytes.dropFirst(), delimiter: 0x26) {
            PathText.next($0, &$1, keeping: PathText.queryDelimiters)
        }
        return BytePattern(pieces, delimiters: [0x26])
    }
}
