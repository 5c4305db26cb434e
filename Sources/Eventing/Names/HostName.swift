import HTTPCore

/// Host names as the resolver uses them.
enum HostName {
    /// The name in lower case without a final dot, or a literal without brackets; nil if it is neither.
    static func canonical(_ host: [UInt8]) -> String? {
        var bytes = host[...]
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
            let text = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
            return IPAddress(text: text).map { _ in text }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if IPAddress(text: text) != nil { return text }
        if bytes.last == UInt8(ascii: ".") { bytes = bytes.dropLast() }
        guard !bytes.isEmpty, bytes.count <= 253 else { return nil }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(isNameByte) }) else { return nil }
        return String(decoding: bytes.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Whether `name` is `localhost` or below it (RFC 6761 §6.3).
    static func isLocalhost(_ name: String) -> Bool { name == "localhost" || name.hasSuffix(".localhost") }

    static func literal(_ name: String) -> IPAddress? { IPAddress(text: name) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
