extension TargetURI {
    /// Reads an absolute `http` or `https` URI; a fragment is dropped, other bytes than visible ASCII are refused.
    public init(parsing bytes: Span<UInt8>) throws(ParseError) {
        var end = ByteScan.targetEnd(bytes, from: 0, to: bytes.count)
        if end < bytes.count {
            guard bytes[end] == 0x23 else { throw ParseError(.badTarget) }
            end = ByteScan.targetEnd(bytes, from: 0, to: end)
        }
        guard end > 0 else { throw ParseError(.badTarget) }
        var parts = TargetParts()
        if let code = RequestTarget.absolute(bytes, 0..<end, into: &parts) { throw ParseError(code) }
        self.init(parts, of: bytes)
    }

    public init(parsing bytes: [UInt8]) throws(ParseError) { try self.init(parsing: bytes.span) }

    public init(parsing text: String) throws(ParseError) { try self.init(parsing: Array(text.utf8)) }

    /// The canonical URI of parts that were found valid in `bytes`; `http` if they name no scheme.
    public init(_ parts: TargetParts, of bytes: Span<UInt8>) {
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
}

extension RequestHead {
    /// The canonical URI of `parts`, which are places in this head.
    public func targetURI(of parts: TargetParts) -> TargetURI { TargetURI(parts, of: fields.bytes.span) }

    /// The canonical URI of an absolute-form target, or of host and path elsewhere.
    public var targetURI: TargetURI { targetURI(of: parts) }

    /// Appends the bytes of `targetURI(of: parts)` without allocating; the hot path's cache key.
    public func appendCanonicalTarget(of parts: TargetParts, to output: inout [UInt8]) {
        let bytes = fields.bytes.span
        let scheme = parts.scheme ?? .http
        let port = parts.port.flatMap { $0 == scheme.defaultPort ? nil : $0 }
        // Scheme, colon and five digits, slash.
        output.append(addingCapacity: parts.host.count + parts.path.count + 16) { target in
            target.append(scheme == .http ? "http://" : "https://")
            target.append(lowercasing: bytes, parts.host)
            if let port {
                target.append(0x3A)
                target.append(decimal: UInt64(port))
            }
            Self.append(bytes, path: parts.path, to: &target)
        }
    }

    /// Appends `scheme://authority` of `origin` and the path of this request: the key where one origin is fixed.
    public func appendCanonicalTarget(at origin: TargetURI, to output: inout [UInt8]) {
        let bytes = fields.bytes.span
        output.append(addingCapacity: origin.pathRange.lowerBound + parts.path.count + 1) { target in
            target.append(copying: origin.bytes.span, 0..<origin.pathRange.lowerBound)
            Self.append(bytes, path: parts.path, to: &target)
        }
    }

    @inline(__always)
    private static func append(_ bytes: Span<UInt8>, path: Range<Int>, to target: inout OutputSpan<UInt8>) {
        if path.isEmpty || bytes[path.lowerBound] != 0x2F { target.append(0x2F) }
        target.append(copying: bytes, path)
    }
}
