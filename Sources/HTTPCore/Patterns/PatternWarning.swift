/// Why a valid pattern probably does not mean what its writer wants, and what to write instead.
public struct PatternWarning: Sendable, Equatable {
    /// What is wrong: a sentence without its subject, such as "fits nothing: no host begins with a dot".
    public var reason: String
    /// What was probably meant, such as "`**.example.com`"; nil if that is not known.
    public var suggestion: String?

    /// The sentence for a pattern.
    public func message(for pattern: String) -> String {
        "`\(pattern)` \(reason)" + (suggestion.map { "; write \($0)" } ?? "")
    }
}

extension URLGlob {
    /// Why no URL fits the pattern or one of its alternatives, or only the root page; nil if it is as it should be.
    ///
    /// - Parameter isBelowBase: whether the pattern is for a service, so that a text without a scheme is a path.
    public func warning(isBelowBase: Bool = false) -> PatternWarning? {
        guard let alternatives = try? GlobParser.alternatives(text) else { return nil }
        for alternative in alternatives {
            guard var warning = PatternReview(alternative.bytes).warning(isBelowBase: isBelowBase) else { continue }
            guard alternatives.count > 1 else { return warning }
            warning.reason =
                "has the alternative `\(String(decoding: alternative.bytes, as: UTF8.self))`, which \(warning.reason)"
            return warning
        }
        return nil
    }
}

extension HostPattern {
    /// Why no host that is asked for by CONNECT fits the pattern or one of its alternatives; nil if some may.
    public var warning: PatternWarning? {
        if text.hasPrefix("http://") {
            return PatternWarning(
                reason: "fits nothing: CONNECT leads to https",
                suggestion: "`https\(text.dropFirst(4))`"
            )
        }
        return hosts.lazy.compactMap { PatternReview.hostWarning($0) { $0 } }.first
    }
}

/// Looks for mistakes in one alternative of a pattern.
private struct PatternReview {
    private let bytes: [UInt8]
    private var text: String { String(decoding: bytes, as: UTF8.self) }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func warning(isBelowBase: Bool) -> PatternWarning? {
        guard let schemeEnd = GlobParser.endOfScheme(bytes) else {
            return (isBelowBase ? nil : wholeTextWarning) ?? dotWarning(bytes[...], before: isBelowBase ? "" : "**/")
        }
        let (authority, target) = GlobParser.split(bytes, schemeEnd)
        let colon = bytes[authority].lastIndex(of: 0x5D) ?? authority.lowerBound
        let hostEnd = bytes[colon..<authority.upperBound].firstIndex(of: 0x3A) ?? authority.upperBound
        let host = Self.string(bytes[authority.lowerBound..<hostEnd])
        let (before, behind) = (Self.string(bytes[..<schemeEnd]), Self.string(bytes[hostEnd...]))
        if let warning = Self.hostWarning(host, { before + $0 + behind }) { return warning }
        guard target.isEmpty, !GlobParser.isAnyHost(bytes, authority) || host == "*" else { return dotWarning(target) }
        return PatternWarning(
            reason: "has no path and fits the root page alone",
            suggestion: "`\(text)/**` for every page, `\(text)/` for that one"
        )
    }

    private static func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Why no URI has this host.
    ///
    /// - Parameter pattern: the whole pattern with another host.
    static func hostWarning(_ host: String, _ pattern: (String) -> String) -> PatternWarning? {
        let bytes = Array(host.utf8)
        if bytes.first == 0x2E, bytes.count > 1 {
            return PatternWarning(
                reason: "fits nothing: no host begins with a dot",
                suggestion: "`\(pattern("**" + host))`"
            )
        }
        if host.contains("..") || host == "." {
            return PatternWarning(reason: "fits nothing: no host has an empty label")
        }
        if bytes.first == 0x5B {
            guard !bytes.contains(0x2A), IPAddress(host: bytes.span) == nil else { return nil }
            return PatternWarning(reason: "fits nothing: \(host) is no IPv6 address")
        }
        let literal = bytes.filter { $0 != 0x2A }
        let end = ByteScan.end(of: .host, literal.span, from: 0, to: literal.count)
        if end < literal.count {
            let letter = Self.string(literal[end...end])
            return PatternWarning(reason: "fits nothing: no host has a `\(letter)`")
        }
        guard literal.count == bytes.count, Authority(bytes.span, 0..<bytes.count) == nil else { return nil }
        let reason = bytes.count > Authority.hostLimit ? "is too long" : "is no name and no IPv4 address"
        return PatternWarning(reason: "fits nothing: \(host) \(reason)")
    }

    /// Why no URI has this path: segments `.` and `..` are resolved in those of requests.
    ///
    /// - Parameter start: what a pattern begins with whose path has no slash at its start.
    private func dotWarning(_ target: ArraySlice<UInt8>, before start: String = "") -> PatternWarning? {
        let path = target.prefix { $0 != 0x3F }
        let plain = PathText.unescaped(path, keeping: PathText.pathDelimiters)
        let rooted = plain.first == 0x2F ? plain : [0x2F] + plain
        var resolved = TargetURI.withoutDotSegments(rooted)
        guard resolved != rooted else { return nil }
        if plain.first != 0x2F { resolved.replaceSubrange(0..<1, with: start.utf8) }
        let before = bytes[..<target.startIndex] + resolved
        return PatternWarning(
            reason: "fits nothing: segments `.` and `..` are resolved before a URL is compared",
            suggestion: "`\(Self.string(before + bytes[path.endIndex...]))`"
        )
    }

    /// Why no URI's whole text is like this: it begins with a scheme.
    private var wholeTextWarning: PatternWarning? {
        let path = bytes.prefix { $0 != 0x3F }
        let pattern = GlobParser.path(path, behind: [])
        guard !["http://", "https://"].contains(where: { pattern.mayContinue(after: Array($0.utf8)) }) else {
            return nil
        }
        return PatternWarning(
            reason: "fits no URL: without a scheme it is compared with the whole URL",
            suggestion: suggestion(path)
        )
    }

    private func suggestion(_ path: ArraySlice<UInt8>) -> String {
        if path.allSatisfy({ $0 == 0x2A }) { return "`**\(Self.string(bytes[path.endIndex...]))`" }
        if path.first == 0x2F { return "`*://*\(text)`" }
        let first = path.prefix { $0 != 0x2F }
        let asHost = "`*://\(text)\(path.count == first.count ? "/**" : "")`"
        let asPath = "`**/\(text)`"
        if first.contains(0x3A) || first.elementsEqual("localhost".utf8) { return asHost }
        return first.contains(0x2E) ? "\(asHost) for a host, \(asPath) for a path" : asPath
    }
}
