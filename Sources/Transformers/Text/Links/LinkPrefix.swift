import HTTPCore

/// The prefix that makes links lead through the prefix gateway: `http://HOST/`, or `https://HOST/` if the request used
/// TLS.
struct LinkPrefix: Sendable {
    /// The gateway's authority as the client wrote it, in lower case.
    let authority: [UInt8]
    let bytes: [UInt8]
    /// Whether it begins with `https://`.
    let isSecure: Bool
    /// Called with each link to another host, as it stands in the document, or with its beginning up to the host.
    let report: (@Sendable ([UInt8]) -> Void)?

    /// Returns nil if the request has no Host, or one that must not be inserted in a document.
    init?(request: Fields, report: (@Sendable ([UInt8]) -> Void)? = nil) {
        guard let host = request.value(of: .host), !host.isEmpty, host.count <= 260,
            host.allSatisfy(Self.isHarmless)
        else { return nil }
        authority = host.map(\.asciiLowercased)
        self.report = report
        isSecure = request.values(named: Array("x-forwarded-proto".utf8)) == [Array("https".utf8)]
        bytes = Array((isSecure ? "https://" : "http://").utf8) + authority + [0x2F]
    }

    /// Letters, digits and `.-_:[]`: no quote, blank or escape of any language.
    private static func isHarmless(_ byte: UInt8) -> Bool {
        LinkMatcher.isNameByte(byte) || byte == 0x3A || byte == 0x5B || byte == 0x5D
    }
}

extension Span<UInt8> {
    /// The index of the first `byte` from `start` on; `end` if there is none.
    func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int {
        var at = start
        while at < end, self[at] != byte { at += 1 }
        return at
    }
}
