extension TargetParts {
    /// Reads `http://authority/path` or `https://…` from `input[target]`; letters of the scheme may have any case.
    ///
    /// Returns what is wrong with it, or nil.
    mutating func readAbsolute(_ input: Span<UInt8>, _ target: Range<Int>) -> ParseError.Code? {
        guard let scheme = Self.scheme(input, target) else {
            return Self.beginsWithScheme(input, target) ? .unsupportedScheme : .targetForm
        }
        let start = target.lowerBound + (scheme == .http ? 7 : 8)
        guard start <= target.upperBound, input[start - 1] == 0x2F, input[start - 2] == 0x2F else {
            return .badAuthority
        }
        var end = start
        while end < target.upperBound, input[end] != 0x2F, input[end] != 0x3F { end += 1 }
        guard let authority = Authority(input, start..<end) else { return .badAuthority }
        self = TargetParts(
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

    /// Whether the target begins with a scheme and a colon.
    private static func beginsWithScheme(_ input: Span<UInt8>, _ target: Range<Int>) -> Bool {
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
