extension TargetURI {
    /// Parses an absolute `http` or `https` URI; drops a fragment, and refuses bytes other than visible ASCII.
    public init(parsing bytes: Span<UInt8>) throws(ParseError) {
        var end = ByteScan.targetEnd(bytes, from: 0, to: bytes.count)
        if end < bytes.count {
            guard bytes[end] == 0x23 else { throw ParseError(.badTarget) }
            end = ByteScan.targetEnd(bytes, from: 0, to: end)
        }
        guard end > 0 else { throw ParseError(.badTarget) }
        var parts = TargetParts()
        if let code = parts.readAbsolute(bytes, 0..<end) { throw ParseError(code) }
        self.init(parts, of: bytes)
    }

    public init(parsing bytes: [UInt8]) throws(ParseError) { try self.init(parsing: bytes.span) }

    public init(parsing text: String) throws(ParseError) { try self.init(parsing: Array(text.utf8)) }

    /// Makes the canonical URI of parts that were parsed from `bytes`; `http` if they have no scheme.
    package init(_ parts: TargetParts, of bytes: Span<UInt8>) {
        let scheme = parts.scheme ?? .http
        var path = [UInt8](copying: bytes.extracting(parts.path))
        if path.first != 0x2F { path.insert(0x2F, at: 0) }
        self.init(
            scheme: scheme,
            host: [UInt8](copying: bytes.extracting(parts.host)),
            port: parts.port ?? scheme.defaultPort,
            path: path
        )
    }

    /// Parses a URI from its canonical text; nil if the text is not canonical.
    package init?(canonical bytes: Span<UInt8>) {
        let scheme: Scheme = bytes.count > 4 && bytes[4] == 0x73 ? .https : .http
        let start = scheme.prefix.utf8CodeUnitCount
        guard bytes.count > start, ByteScan.equals(bytes.extracting(0..<start), scheme.prefix) else { return nil }
        guard let slash = (start..<bytes.count).first(where: { bytes[$0] == 0x2F }) else { return nil }
        var host = start..<slash
        var port = scheme.defaultPort
        if let colon = host.last(where: { bytes[$0] == 0x3A }), bytes[slash - 1] != 0x5D {
            let digits = [UInt8](copying: bytes.extracting((colon + 1)..<slash))
            guard let number = UInt16(String(decoding: digits, as: UTF8.self)) else { return nil }
            host = start..<colon
            port = number
        }
        self.init(
            scheme: scheme,
            host: [UInt8](copying: bytes.extracting(host)),
            port: port,
            path: [UInt8](copying: bytes.extracting(slash..<bytes.count))
        )
        guard ByteScan.equals(self.bytes.span, bytes) else { return nil }
    }
}
