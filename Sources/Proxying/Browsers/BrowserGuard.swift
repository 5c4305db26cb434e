import HTTPCore

/// Keeps web pages out of the routes in which every site would share one browser origin (H-065).
enum BrowserGuard {
    private static let browserFields: KnownFieldSet = [.origin, .secFetchSite, .secFetchMode, .secFetchDest]

    /// Whether `head` has none of the fields that browsers send and names us by a loopback name; the fast path asks
    /// this.
    static func isPlainTool(_ head: RequestHead, _ options: ProxyOptions) -> Bool {
        head.fields.present.isDisjoint(with: browserFields) && isOwn(head, options)
    }

    /// Whether `head` has fields that browsers send, and that hardly any other client sends.
    static func isBrowser(_ head: RequestHead) -> Bool { !head.fields.present.isDisjoint(with: browserFields) }

    /// Whether `head` may come from a browser, even one that does not name the site behind the request.
    static func mayBeBrowser(_ head: RequestHead) -> Bool {
        isBrowser(head) || head.fields.contains(.referer)
            || head.fields.withValue(of: .userAgent) { agent in
                agent.count >= 8 && Token.matches(agent.extracting(0..<8), "mozilla/")
            } ?? false
    }

    /// Why a prefix request is not served; nil if it is.
    static func refusal(_ head: RequestHead, _ options: ProxyOptions) -> Refusal? {
        if let refusal = foreignHost(head, options) { return refusal }
        let fields = head.fields
        let page = RequestingPage(fields)
        if page.isOfOtherSite {
            return Refusal(
                403,
                "another web site may not use the prefix gateway; use the proxy itself, or a named service"
            )
        }
        let own = Array(options.scheme.utf8) + (fields.value(of: .host) ?? []).map(\.asciiLowercased)
        if !page.isOf(own) {
            return Refusal(403, "Origin is another site's; the prefix gateway serves tools, not web pages")
        }
        if page.isNavigating {
            return Refusal(
                403,
                "the prefix gateway is for tools, since all sites would share one origin here; use a named service on its own "
                    + "host, http://NAME.localhost, or set this proxy in the browser"
            )
        }
        return nil
    }

    /// Returns 403 for a page of another site, which may not read what is for the browser itself.
    static func otherSite(_ head: RequestHead, _ options: ProxyOptions) -> Refusal? {
        let page = RequestingPage(head.fields)
        let own = Array(options.scheme.utf8) + (head.fields.value(of: .host) ?? []).map(\.asciiLowercased)
        guard page.isOfOtherSite || !page.isOf(own) else { return nil }
        return Refusal(403, "another web site may not read the script for browsers; give its URL to the browser itself")
    }

    /// Returns 421 for a `Host` that is not ours: an attacker made a foreign name resolve to this address (DNS
    /// rebinding).
    static func foreignHost(_ head: RequestHead, _ options: ProxyOptions) -> Refusal? {
        guard !isOwn(head, options) else { return nil }
        return Refusal(
            421,
            "Host is none of this proxy's names; use 127.0.0.1, localhost or a name that `access.own-names` lists"
        )
    }

    /// Whether `Host` names us as loopback: by a loopback address, `localhost`, or a name below that.
    static func isLoopback(_ head: RequestHead) -> Bool {
        let range = head.parts.host
        guard !range.isEmpty else { return false }
        let bytes = head.fields.bytes.span
        if matches(bytes, range, "127.0.0.1") || matches(bytes, range, "localhost") || matches(bytes, range, "[::1]") {
            return true
        }
        if ends(bytes, range, ".localhost") { return true }
        if case .v4(let bits)? = IPAddress(host: bytes.extracting(range))?.unmapped { return bits >> 24 == 127 }
        return false
    }

    private static func isOwn(_ head: RequestHead, _ options: ProxyOptions) -> Bool {
        let range = head.parts.host
        // A client of HTTP/1.0 need not send Host; no browser is one.
        guard !range.isEmpty else { return !head.fields.contains(.host) }
        if isLoopback(head) { return true }
        let bytes = head.fields.bytes.span
        let isListed = options.ownNames.contains { name in
            name.count == range.count
                && name.indices.allSatisfy { bytes[range.lowerBound + $0].asciiLowercased == name[$0] }
        }
        return isListed || options.ownNamePatterns.fit(bytes.extracting(range))
    }

    private static func matches(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        range.count == text.utf8CodeUnitCount && ends(bytes, range, text)
    }

    private static func ends(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard range.count >= count else { return false }
        var index = range.upperBound - count
        for byte in String(describing: text).utf8 {
            guard bytes[index].asciiLowercased == byte else { return false }
            index += 1
        }
        return true
    }
}
