import HTTPCore

/// What a client speaks inside a CONNECT, as its first octets show it.
enum TunnelledProtocol: Equatable {
    /// A request line of HTTP/1.
    case http
    /// A record of TLS that may be a ClientHello.
    case tls
    case other

    /// A longer request line is no longer taken for one.
    private static let lineLimit = 16384

    /// Judges the octets that have come so far; nil while they could still become either.
    init?(_ octets: Span<UInt8>) {
        guard octets.count > 0 else { return nil }
        if octets[0] == 0x16 {
            guard octets.count > 1 else { return nil }
            self = octets[1] == 0x03 ? .tls : .other
            return
        }
        for index in 0..<octets.count {
            switch octets[index] {
            case 0x20...0x7E: continue
            case 0x0D:
                guard index + 1 < octets.count else { return nil }
                self = octets[index + 1] == 0x0A && Self.isRequestLine(octets.extracting(0..<index)) ? .http : .other
            // Requests that end their lines otherwise are refused here; the origin may think differently.
            default: self = .other
            }
            return
        }
        guard octets.count <= Self.lineLimit else {
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
        for (offset, octet) in String(describing: end).utf8.enumerated() where line[start + offset] != octet {
            return false
        }
        return line[0] != 0x20 && (1..<start - 1).contains { line[$0] == 0x20 }
    }
}
