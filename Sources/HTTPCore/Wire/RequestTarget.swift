/// Parses the four forms of a request target (RFC 9112 §3.2).
enum RequestTarget {
    /// Notes form and parts of `input[target]` in `head`; the target must be visible ASCII without `#`, and not empty.
    ///
    /// Returns what is wrong with it, or nil.
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
        return head.parts.readAbsolute(input, target)
    }
}
