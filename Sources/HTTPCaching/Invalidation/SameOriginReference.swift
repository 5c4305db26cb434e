import HTTPCore

/// URI references that stay at one origin (RFC 3986 §5).
enum SameOriginReference {
    /// Resolves `reference` at `base`; nil if it is malformed or belongs to another origin.
    ///
    /// Its fragment is dropped.
    static func resolve(_ reference: [UInt8], against base: TargetURI) -> TargetURI? {
        var rest = reference.prefix { $0 != 0x23 }
        guard rest.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        if let scheme = scheme(of: rest) {
            guard Array(scheme).equalsIgnoringCase(Array(base.scheme.text.utf8)) else { return nil }
            rest = rest.dropFirst(scheme.count + 1)
            guard rest.starts(with: [0x2F, 0x2F]) else { return nil }
        }
        if rest.starts(with: [0x2F, 0x2F]) {
            let authority = rest.dropFirst(2).prefix { $0 != 0x2F && $0 != 0x3F }
            guard isAuthority(authority, of: base) else { return nil }
            rest = rest.dropFirst(2 + authority.count)
            let path = rest.first == 0x2F ? Array(rest) : [0x2F] + rest
            return uri(base, withoutDotSegments(path))
        }
        return uri(base, path(of: Array(rest), at: base))
    }

    private static func uri(_ base: TargetURI, _ path: [UInt8]) -> TargetURI {
        TargetURI(scheme: base.scheme, host: base.host, port: base.port, path: path)
    }

    /// The scheme in front of a colon, if there is one before any delimiter.
    private static func scheme(of reference: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = reference.firstIndex(where: { [0x3A, 0x2F, 0x3F].contains($0) }), reference[end] == 0x3A else {
            return nil
        }
        return reference[..<end]
    }

    private static func isAuthority(_ text: ArraySlice<UInt8>, of base: TargetURI) -> Bool {
        let hostEnd = text.lastIndex(of: 0x5D).map { $0 + 1 } ?? text.firstIndex(of: 0x3A) ?? text.endIndex
        guard Array(text[..<hostEnd]).lowercased == base.host else { return false }
        guard hostEnd < text.endIndex else { return base.port == base.scheme.defaultPort }
        guard text[hostEnd] == 0x3A else { return false }
        let digits = text[(hostEnd + 1)...]
        guard !digits.isEmpty else { return base.port == base.scheme.defaultPort }
        return digits.allSatisfy(\.isDigit) && UInt16(String(decoding: digits, as: UTF8.self)) == base.port
    }

    // MARK: Paths

    private static func path(of reference: [UInt8], at base: TargetURI) -> [UInt8] {
        guard let first = reference.first else { return base.path }
        if first == 0x2F { return withoutDotSegments(reference) }
        let basePath = base.path.prefix { $0 != 0x3F }
        if first == 0x3F { return Array(basePath) + reference }
        let directory = basePath.lastIndex(of: 0x2F).map { Array(basePath[...$0]) } ?? [0x2F]
        return withoutDotSegments(directory + reference)
    }

    /// RFC 3986 §5.2.4, on a path that begins with a slash; a query stays as it is.
    private static func withoutDotSegments(_ text: [UInt8]) -> [UInt8] {
        let path = text.prefix { $0 != 0x3F }
        let query = text.dropFirst(path.count)
        var output: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isDot = segment.elementsEqual([0x2E])
            let isDoubleDot = segment.elementsEqual([0x2E, 0x2E])
            if isDoubleDot { _ = output.popLast() }
            if !isDot, !isDoubleDot { output.append(segment) } else if index == segments.count - 1 { output.append([]) }
        }
        return [0x2F] + Array(output.joined(separator: [0x2F])) + query
    }
}
