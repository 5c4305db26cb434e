import HTTPCore

/// Names a resource in paths of the API, in memory and in the store alike; it never changes.
struct ResourceIdentifier: Sendable, Equatable {
    let uri: TargetURI

    init(_ uri: TargetURI) { self.uri = uri }

    /// Returns nil if `text` is not a URI in canonical form.
    init?(text: String) {
        guard let bytes = Base64URL.decode(text), let uri = try? TargetURI(identifying: bytes), uri.bytes == bytes
        else {
            return nil
        }
        self.uri = uri
    }

    var text: String { Base64URL.encode(uri.bytes) }
}

/// Base 64 in the alphabet for URLs, without padding (RFC 4648 §5).
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for index in 0..<3 { bits = bits << 8 | (index < group.count ? UInt32(group[start + index]) : 0) }
            for index in 0...group.count { text.append(alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns nil if `text` is not the canonical encoding of some bytes.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for character in text.utf8 {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            bits &= (1 << count) - 1
        }
        return count < 6 && bits == 0 ? bytes : nil
    }
}
