import HTTPCore

/// The names under which a reverse proxy answers, on any port.
///
/// An attacker may make the name of another site resolve to this address (DNS rebinding). That site's pages would then
/// share an origin with the content behind the gateway. So a request under a foreign name gets nothing.
struct GatewayNames: Sendable {
    private let answersToAll: Bool
    /// All names in one array, in lower case, and where each ends: they are compared with every request.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private let patterns: [HostPattern]

    /// - Parameter base: the origin; its name is one of the names.
    init(_ base: GatewayBase, _ options: ProxyOptions) {
        answersToAll = options.answersToEveryName
        patterns = options.ownNamePatterns
        let usual = ["127.0.0.1", "localhost", "[::1]"].map { Array($0.utf8) }
        for name in [base.base.host] + usual + options.ownNames where !name.isEmpty {
            bytes += name.map(\.asciiLowercased)
            ends.append(bytes.count)
        }
    }

    /// Whether `Host` is one of the names; clients of HTTP/1.0 may omit it, and no browser is one.
    func include(_ head: RequestHead) -> Bool {
        if answersToAll { return true }
        let range = head.parts.host
        guard !range.isEmpty else { return !head.fields.contains(.host) }
        let sent = head.fields.bytes.span.extracting(range)
        var start = 0
        for end in ends {
            if bytes.span.extracting(start..<end).hasSameBytes(as: sent) { return true }
            start = end
        }
        return isNameInOtherCase(sent) || BrowserGuard.isLoopback(head) || patterns.fit(sent)
    }

    /// Compares without case: programs almost always send names in lower case, as in URLs.
    private func isNameInOtherCase(_ sent: Span<UInt8>) -> Bool {
        var start = 0
        for end in ends {
            let name = bytes[start..<end]
            if name.count == sent.count,
                name.indices.allSatisfy({ sent[$0 - start].asciiLowercased == name[$0] })
            {
                return true
            }
            start = end
        }
        return false
    }

    /// Returns 421 for any other name.
    func refusal(_ head: RequestHead) -> Refusal? {
        guard !include(head) else { return nil }
        return Refusal(
            421,
            "this reverse proxy does not answer to the name in Host; `access.own-names` lists further names (\"*\" is every name: "
                + "then web pages of any site that makes its name lead here can read the origin)"
        )
    }
}

extension [HostPattern] {
    /// Whether one of them fits the host of a request; allocates if there are any.
    func fit(_ host: Span<UInt8>) -> Bool {
        guard !isEmpty else { return false }
        let name = host.indices.map { host[$0].asciiLowercased }
        return contains { $0.matches(host: name) }
    }
}
