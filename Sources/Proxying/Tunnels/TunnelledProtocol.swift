import HTTPCore

/// The protocol a client speaks inside a CONNECT, by its first bytes.
enum TunnelledProtocol: Equatable {
    /// A request line of HTTP/1.
    case http
    /// A record of TLS that may be a ClientHello.
    case tls
    case other

    /// A longer line does not count as a request line.
    private static let lineLimit = 16384

    /// Judges the bytes received so far; returns nil while they could still be either.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count > 0 else { return nil }
        if bytes[0] == 0x16 {
            guard bytes.count > 1 else { return nil }
            self = bytes[1] == 0x03 ? .tls : .other
            return
        }
        for index in 0..<bytes.count {
            switch bytes[index] {
            case 0x20...0x7E: continue
            case 0x0D:
                guard index + 1 < bytes.count else { return nil }
                self = bytes[index + 1] == 0x0A && Self.isRequestLine(bytes.extracting(0..<index)) ? .http : .other
            // We refuse a request with other line ends, but the origin may accept it.
            default: self = .other
            }
            return
        }
        guard bytes.count <= Self.lineLimit else {
            self = .other
            return
        }
        return nil
    }

    /// Whether a line is a method, a target and a version 1 of HTTP; the preface of HTTP/2 is none.
    private static func isRequestLine(_ line: Span<UInt8>) -> Bool {
        let end: StaticString = " HTTP/1."
        let start = line.count - end.utf8CodeUnitCount - 1
        guard start > 2, line[line.count - 1] &- 0x30 < 10 else { return false }
        for (offset, byte) in String(describing: end).utf8.enumerated() where line[start + offset] != byte {
            return false
        }
        return line[0] != 0x20 && (1..<start - 1).contains { line[$0] == 0x20 }
    }
}
