extension TargetURI {
    /// The bytes of this URI with `text` appended to its path, one slash between them; nil if `text` contains a NUL.
    ///
    /// One slash at the start of `text` is dropped. The rest is path text: bytes that a path must not contain are
    /// escaped, `?`, `#` and `%` too, and dot segments stay. The URI's own path and query stay byte for byte (S-008,
    /// S-023 to S-026).
    package func extended(by text: String) -> [UInt8]? {
        let pathEnd = bytes[pathRange].firstIndex(of: 0x3F) ?? bytes.endIndex
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + text.utf8.count + 8)
        result.append(contentsOf: bytes[..<pathEnd])
        if bytes[pathEnd - 1] != 0x2F { result.append(0x2F) }
        for byte in text.utf8.first == 0x2F ? text.utf8.dropFirst() : text.utf8[...] {
            if ByteSet.path.contains(byte) {
                result.append(byte)
            } else if byte == 0 {
                return nil
            } else {
                result.append(escaping: byte)
            }
        }
        result.append(contentsOf: bytes[pathEnd...])
        return result
    }

    /// This URI with a slash at the end of its path; its query stays (S-004).
    public var withTrailingSlash: TargetURI { extended(by: "").map(replacingAll) ?? self }

    /// The URI with these bytes, which must begin with scheme and authority of this one.
    package func replacingAll(_ bytes: [UInt8]) -> TargetURI {
        let path = Array(bytes.dropFirst(pathRange.lowerBound))
        return TargetURI(scheme: scheme, host: host, port: port, path: path)
    }
}

extension [UInt8] {
    /// Appends `%` and two digits.
    mutating func append(escaping byte: UInt8) {
        append(0x25)
        for digit in [byte >> 4, byte & 15] { append(digit < 10 ? digit + 0x30 : digit + 0x37) }
    }
}

/// Bytes that need no escape in some part of a URI.
struct ByteSet: Sendable {
    /// `pchar` and `/` (RFC 3986 §3.3).
    static let path = ByteSet("-._~!$&'()*+,;=:@/")
    /// Bytes of names and values of a query.
    ///
    /// Without the delimiters `&`, `=` and `;`, and without `+`, which some servers read as a blank.
    static let parameter = ByteSet("-._~!$'()*,:@/?")

    private let low: UInt64
    private let high: UInt64

    /// Letters, digits, and `others`, which must be ASCII.
    private init(_ others: String) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for byte in UInt8(0)..<128 where byte.isDigit || byte | 0x20 &- 0x61 < 26 || others.utf8.contains(byte) {
            if byte < 64 { low |= 1 << byte } else { high |= 1 << (byte - 64) }
        }
        (self.low, self.high) = (low, high)
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low >> byte : high >> (byte - 64)) & 1 == 1
    }
}
