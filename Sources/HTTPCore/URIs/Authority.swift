/// A host with an optional port, as in a request target or in `Host` (RFC 9110 §4.2, §7.2).
///
/// It is stricter than the RFCs: no userinfo, no escapes, no comma, and a port from 1 to 65535 in at most five digits.
/// A host whose last label is numeric must be a dotted decimal IPv4 address, so that no two resolvers read it
/// differently.
public struct Authority: Sendable, Equatable {
    /// The range of the host in the parsed bytes, with the brackets of an IPv6 literal.
    public var host: Range<Int>
    /// Nil if there is none, or an empty one.
    public var port: UInt16?

    /// A host has at most this many bytes.
    static let hostLimit = 255

    init(host: Range<Int>, port: UInt16?) {
        self.host = host
        self.port = port
    }

    /// Parses `bytes[range]`; returns nil if that is no authority.
    public init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let hostEnd: Int
        if !range.isEmpty, bytes[range.lowerBound] == 0x5B {
            guard let end = Self.endOfLiteral(bytes, range) else { return nil }
            hostEnd = end
        } else if !range.isEmpty, bytes[range.lowerBound].isDigit,
            let end = IPAddress.endOfV4(bytes, range), end == range.upperBound || bytes[end] == 0x3A
        {
            hostEnd = end
        } else {
            hostEnd = ByteScan.end(of: .host, bytes, from: range.lowerBound, to: range.upperBound)
            guard hostEnd > range.lowerBound, hostEnd - range.lowerBound <= Self.hostLimit else { return nil }
            guard Self.isUnambiguous(bytes, range.lowerBound..<hostEnd) else { return nil }
        }
        host = range.lowerBound..<hostEnd
        port = nil
        guard hostEnd < range.upperBound else { return }
        guard bytes[hostEnd] == 0x3A else { return nil }
        guard hostEnd + 1 < range.upperBound else { return }
        guard let number = Self.port(bytes, hostEnd + 1..<range.upperBound) else { return nil }
        port = number
    }

    /// The index after the bracket that closes an IPv6 literal.
    private static func endOfLiteral(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        for index in range where bytes[index] == 0x5D {
            guard IPAddress.v6(bytes, range.lowerBound + 1..<index) != nil else { return nil }
            return index + 1
        }
        return nil
    }

    private static func port(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt16? {
        guard range.count <= 5 else { return nil }
        let text = bytes.extracting(range)
        var value: UInt32 = 0
        for index in 0..<text.count {
            let digit = text[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value &* 10 &+ UInt32(digit)
        }
        return value == 0 ? nil : UInt16(exactly: value)
    }

    /// Whether all resolvers read the host alike.
    ///
    /// A strict IPv4 address passes, and so does a host that no resolver reads as one. `0177.0.0.1`, `2130706433` and
    /// `0x7f.1` do not pass.
    @inline(__always)
    private static func isUnambiguous(_ bytes: Span<UInt8>, _ host: Range<Int>) -> Bool {
        var end = host.upperBound
        if bytes[end - 1] == 0x2E { end -= 1 }
        var start = end
        while start > host.lowerBound, bytes[start - 1] != 0x2E { start -= 1 }
        guard start < end, bytes[start].isDigit, isNumeric(bytes, start..<end) else { return true }
        return IPAddress.v4(bytes, host) != nil
    }

    private static func isNumeric(_ bytes: Span<UInt8>, _ label: Range<Int>) -> Bool {
        if label.count >= 2, bytes[label.lowerBound] == 0x30, bytes[label.lowerBound + 1] | 0x20 == 0x78 {
            return label.dropFirst(2).allSatisfy { bytes[$0].hexDigit != nil }
        }
        return label.allSatisfy { bytes[$0].isDigit }
    }
}
