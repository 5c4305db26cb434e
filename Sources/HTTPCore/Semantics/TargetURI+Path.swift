extension TargetURI {
    /// The octets of this URI with `text` behind its path, one slash between them, in front of its query; nil if `text`
    /// holds a NUL (S-008, S-023 to S-026).
    ///
    /// At most one slash at the start of `text` is dropped. All else of it is path text: what a path may not hold is
    /// escaped, `?`, `#` and `%` too, and dot segments stay. What the URI has already stays octet for octet.
    public func extended(by text: String) -> [UInt8]? {
        let pathEnd = octets[pathRange].firstIndex(of: 0x3F) ?? octets.endIndex
        var result: [UInt8] = []
        result.reserveCapacity(octets.count + text.utf8.count + 8)
        result.append(contentsOf: octets[..<pathEnd])
        if octets[pathEnd - 1] != 0x2F { result.append(0x2F) }
        for octet in text.utf8.first == 0x2F ? text.utf8.dropFirst() : text.utf8[...] {
            if OctetSet.path.contains(octet) {
                result.append(octet)
            } else if octet == 0 {
                return nil
            } else {
                result.append(escaping: octet)
            }
        }
        result.append(contentsOf: octets[pathEnd...])
        return result
    }

    /// This URI with a slash at the end of its path; its query stays (S-004).
    public var withTrailingSlash: TargetURI { extended(by: "").map(replacingAll) ?? self }

    /// The URI `octets` are, which begin with scheme and authority of this one.
    public func replacingAll(_ octets: [UInt8]) -> TargetURI {
        let path = Array(octets.dropFirst(pathRange.lowerBound))
        return TargetURI(scheme: scheme, host: host, port: port, path: path)
    }
}

extension [UInt8] {
    /// Appends `%` and two digits.
    mutating func append(escaping octet: UInt8) {
        append(0x25)
        for digit in [octet >> 4, octet & 15] { append(digit < 10 ? digit + 0x30 : digit + 0x37) }
    }
}

/// Octets that need no escape in some part of a URI.
struct OctetSet: Sendable {
    /// `pchar` and `/` (RFC 3986 §3.3).
    static let path = OctetSet("-._~!$&'()*+,;=:@/")
    /// Names and values of a query: neither the delimiters `&`, `=` and `;`, nor `+`, which some read as a blank.
    static let parameter = OctetSet("-._~!$'()*,:@/?")

    private let low: UInt64
    private let high: UInt64

    /// Letters, digits, and `others`, which are ASCII.
    private init(_ others: String) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for octet in UInt8(0)..<128 where octet.isDigit || octet | 0x20 &- 0x61 < 26 || others.utf8.contains(octet) {
            if octet < 64 { low |= 1 << octet } else { high |= 1 << (octet - 64) }
        }
        (self.low, self.high) = (low, high)
    }

    func contains(_ octet: UInt8) -> Bool {
        octet < 128 && (octet < 64 ? low >> octet : high >> (octet - 64)) & 1 == 1
    }
}
