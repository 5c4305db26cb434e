extension TargetURI {
    /// Resolves a reference, such as the value of Location, against this URI (RFC 3986 §5.2); nil unless http or https.
    ///
    /// Drops a fragment and removes dot segments; nil also if the reference is not valid.
    public func resolving(_ reference: Span<UInt8>) -> TargetURI? {
        let end = ByteScan.targetEnd(reference, from: 0, to: reference.count)
        guard end == reference.count || reference[end] == 0x23 else { return nil }
        let text = reference.extracting(0..<end)
        if Self.hasScheme(text) { return Self.absolute(text) }
        if text.count >= 2, text[0] == 0x2F, text[1] == 0x2F {
            return Self.absolute((Array((scheme.text + ":").utf8) + [UInt8](copying: text)).span)
        }
        return TargetURI(scheme: scheme, host: host, port: port, path: merged(text))
    }

    public func resolving(_ reference: [UInt8]) -> TargetURI? { resolving(reference.span) }

    /// Whether scheme, host and port are those of `other`.
    public func hasSameOrigin(as other: TargetURI) -> Bool {
        scheme == other.scheme && port == other.port && bytes[hostRange] == other.bytes[other.hostRange]
    }

    private static func hasScheme(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            switch text[index] {
            case 0x3A: return index > 0
            case 0x2F, 0x3F: return false
            default: continue
            }
        }
        return false
    }

    private static func absolute(_ text: Span<UInt8>) -> TargetURI? {
        guard !text.isEmpty else { return nil }
        var parts = TargetParts()
        guard parts.readAbsolute(text, 0..<text.count) == nil else { return nil }
        let uri = TargetURI(parts, of: text)
        return TargetURI(scheme: uri.scheme, host: uri.host, port: uri.port, path: withoutDotSegments(uri.path))
    }

    private func merged(_ text: Span<UInt8>) -> [UInt8] {
        guard !text.isEmpty else { return path }
        let (own, _) = Self.split(path)
        let relative = [UInt8](copying: text)
        switch relative[0] {
        case 0x3F: return own + relative
        case 0x2F: return Self.withoutDotSegments(relative)
        default:
            let directory = own.lastIndex(of: 0x2F).map { Array(own[...$0]) } ?? [0x2F]
            return Self.withoutDotSegments(directory + relative)
        }
    }

    /// Path and query, the latter with its `?`.
    private static func split(_ path: [UInt8]) -> (path: [UInt8], query: [UInt8]) {
        guard let mark = path.firstIndex(of: 0x3F) else { return (path, []) }
        return (Array(path[..<mark]), Array(path[mark...]))
    }

    /// Removes dot segments of a path that begins with a slash (RFC 3986 §5.2.4); leaves a query alone.
    static func withoutDotSegments(_ target: [UInt8]) -> [UInt8] {
        let (path, query) = split(target)
        var output: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch Array(segment) {
            case [0x2E]:
                if isLast { output.append([]) }
            case [0x2E, 0x2E]:
                _ = output.popLast()
                if isLast { output.append([]) }
            default: output.append(segment)
            }
        }
        return output.reduce(into: []) {
            $0.append(0x2F); $0.append(contentsOf: $1)
        } + query
    }
}
