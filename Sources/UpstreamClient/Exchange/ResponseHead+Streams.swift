import HTTPCore

extension ResponseHead {
    /// Whether a 101 switches to `token` alone, and Connection lists Upgrade (RFC 9110 §7.8).
    func confirmsUpgrade(to token: [UInt8]) -> Bool {
        let protocols = ListMembers.members(of: .upgrade, in: fields)
        guard protocols.count == 1, protocols[0].map(\.asciiLowercased) == token.map(\.asciiLowercased) else {
            return false
        }
        return ListMembers.members(of: .connection, in: fields).contains { Token.matches($0.span, "upgrade") }
    }

    /// Whether the content is a stream of events, which may be quiet for a long time.
    var isEventStream: Bool {
        fields.withValue(of: .contentType) { value in
            let type: StaticString = "text/event-stream"
            let count = type.utf8CodeUnitCount
            guard value.count >= count, Token.matches(value.extracting(0..<count), type) else { return false }
            return value.count == count || value[count] == 0x3B || value[count] == 0x20 || value[count] == 0x09
        } ?? false
    }
}
