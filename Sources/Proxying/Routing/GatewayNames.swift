import HTTPCore

/// The names under which a reverse proxy answers, whatever the port.
///
/// A page of another site whose name somebody made resolve to this address would be of one origin with what is behind the
/// gateway (DNS rebinding): under a foreign name nothing is told.
struct GatewayNames: Sendable {
    private let answersToAll: Bool
    /// All names one behind the other, in lower case, and where each ends: judged with every request.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    /// - Parameter base: the origin, whose name is one of them.
    init(_ base: GatewayBase, _ options: ProxyOptions) {
        answersToAll = options.answersToEveryName
        let usual = ["127.0.0.1", "localhost", "[::1]"].map { Array($0.utf8) }
        for name in [base.base.host] + usual + options.ownNames where !name.isEmpty {
            bytes += name.map(\.asciiLowercased)
            ends.append(bytes.count)
        }
    }

    /// Whether `Host` gives one of the names; a client of HTTP/1.0, which no browser is, need not send it.
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
        return isNameInOtherCase(sent) || BrowserGuard.isLoopback(head)
    }

    /// Programs send names as they are in URLs, almost always in lower case.
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

    /// 421 for any other name.
    func refusal(_ head: RequestHead) -> Refusal? {
        guard !include(head) else { return nil }
        return Refusal(
            421,
            "this reverse proxy does not answer to the name in Host; `access.own-names` lists further names (\"*\" is every name: "
                + "then web pages of any site that makes its name lead here can read the origin)"
        )
    }
}
