/// The member that this proxy adds to `Cache-Status` (RFC 9211).
public struct CacheStatus: Sendable, Equatable {
    /// Why a request was forwarded (RFC 9211 §2.2).
    public enum ForwardReason: String, Sendable, CaseIterable {
        case bypass
        case method
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
        case miss
        case request
        case stale
        case partial
    }

    public enum Outcome: Sendable, Equatable {
        case hit
        case forwarded(ForwardReason)
        /// Neither a hit nor forwarded: the proxy made the response.
        case none
    }

    public var outcome: Outcome
    /// The status of the response from upstream.
    public var forwardStatus: UInt16?
    /// The lifetime left in seconds; negative if stale.
    public var ttl: Int64?
    public var isStored = false
    public var isCollapsed = false
    public var key: [UInt8]?
    /// The reason, in a word of our own.
    public var detail: String?

    public init(
        _ outcome: Outcome,
        forwardStatus: UInt16? = nil,
        ttl: Int64? = nil,
        isStored: Bool = false,
        isCollapsed: Bool = false,
        key: [UInt8]? = nil,
        detail: String? = nil
    ) {
        self.outcome = outcome
        self.forwardStatus = forwardStatus
        self.ttl = ttl
        self.isStored = isStored
        self.isCollapsed = isCollapsed
        self.key = key
        self.detail = detail
    }

    /// The member, such as `respite; fwd=miss; fwd-status=200; stored`.
    public var bytes: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(96)
        ByteScan.append("respite", to: &text)
        append(to: &text)
        return text
    }

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether a request asks for the key: `Cache-Status: respite; key`.
    public static func asksForKey(_ fields: Fields) -> Bool {
        guard fields.contains(.cacheStatus) else { return false }
        return ListMembers.members(of: .cacheStatus, in: fields).contains { member in
            let words = member.split(separator: 0x3B, omittingEmptySubsequences: false).map { word in
                let bytes = Array(word)
                return Array(bytes[bytes.span.trimmed(0..<bytes.count)])
            }
            return words.first == Array("respite".utf8) && words.dropFirst().contains(Array("key".utf8))
        }
    }

    private func append(to text: inout [UInt8]) {
        switch outcome {
        case .hit: ByteScan.append("; hit", to: &text)
        case .forwarded(let reason):
            ByteScan.append("; fwd=", to: &text)
            text.append(contentsOf: reason.rawValue.utf8)
        case .none: break
        }
        if let forwardStatus {
            ByteScan.append("; fwd-status=", to: &text)
            ByteScan.append(decimal: UInt64(forwardStatus), to: &text)
        }
        if let ttl {
            ByteScan.append(ttl < 0 ? "; ttl=-" : "; ttl=", to: &text)
            ByteScan.append(decimal: ttl.magnitude, to: &text)
        }
        if isStored { ByteScan.append("; stored", to: &text) }
        if isCollapsed { ByteScan.append("; collapsed", to: &text) }
        if let key {
            ByteScan.append("; key=", to: &text)
            Token.appendQuoted(key, to: &text)
        }
        if let detail {
            ByteScan.append("; detail=", to: &text)
            StructuredText.appendTokenOrString(Array(detail.utf8), to: &text)
        }
    }
}

/// Bare items of structured fields (RFC 9651).
enum StructuredText {
    /// Appends a token if the grammar allows it, otherwise a string.
    static func appendTokenOrString(_ text: [UInt8], to output: inout [UInt8]) {
        let isToken =
            text.first.map { ($0 | 0x20) &- 0x61 < 26 || $0 == 0x2A } == true
            && text.allSatisfy { ByteClass.token.contains($0) || $0 == 0x3A || $0 == 0x2F }
        if isToken { output += text } else { Token.appendQuoted(text, to: &output) }
    }
}
