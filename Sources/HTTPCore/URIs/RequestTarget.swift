/// The four forms of a request target and what they name (RFC 9112 §3.2).
enum RequestTarget {
    /// Judges `input[target]`, which is visible ASCII without `#` and not empty, and notes its form and parts.
    static func parse(_ input: Span<UInt8>, _ target: Range<Int>, into head: inout RequestHead) -> ParseError.Code? {
        if head.method == .connect {
            head.form = .authority
            guard let authority = Authority(input, target) else { return .badAuthority }
            guard let port = authority.port else { return .missingPort }
            head.parts = TargetParts(host: authority.host, port: port, path: target.upperBound..<target.upperBound)
            return nil
        }
        if input[target.lowerBound] == 0x2F {
            head.form = .origin
            head.parts = TargetParts(path: target)
            return nil
        }
        if input[target.lowerBound] == 0x2A, target.count == 1 {
            head.form = .asterisk
            head.parts = TargetParts(path: target.upperBound..<target.upperBound)
            return head.method == .options ? nil : .targetForm
        }
        head.form = .absolute
        return absolute(input, target, into: &head.parts)
    }

    /// `http://authority/path` or `https://…`, letters of the scheme in any case.
    static func absolute(_ input: Span<UInt8>, _ target: Range<Int>, into parts: inout TargetParts) -> ParseError.Code?
    {
        guard let scheme = scheme(input, target) else {
            return looksLikeScheme(input, target) ? .unsupportedScheme : .targetForm
        }
        let start = target.lowerBound + (scheme == .http ? 7 : 8)
        guard start <= target.upperBound, input[start - 1] == 0x2F, input[start - 2] == 0x2F else {
            return .badAuthority
        }
        var end = start
        while end < target.upperBound, input[end] != 0x2F, input[end] != 0x3F { end += 1 }
        guard let authority = Authority(input, start..<end) else { return .badAuthority }
        parts = TargetParts(
            scheme: scheme,
            host: authority.host,
            port: authority.port,
            path: end..<target.upperBound
        )
        return nil
    }

    private static func scheme(_ input: Span<UInt8>, _ target: Range<Int>) -> TargetURI.Scheme? {
        let start = target.lowerBound
        if target.count >= 5, ByteScan.matches(input, start..<start + 5, "http:") { return .http }
        if target.count >= 6, ByteScan.matches(input, start..<start + 6, "https:") { return .https }
        return nil
    }

    /// Whether a scheme other than ours stands before a colon.
    private static func looksLikeScheme(_ input: Span<UInt8>, _ target: Range<Int>) -> Bool {
        for index in target {
            let byte = input[index]
            if byte == 0x3A { return index > target.lowerBound }
            guard byte.isDigit || byte | 0x20 &- 0x61 < 26 || byte == 0x2B || byte == 0x2D || byte == 0x2E else {
                return false
            }
        }
        return false
    }
}
