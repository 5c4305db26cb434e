import ResourceCore

/// Form fields as content (`application/x-www-form-urlencoded`).
enum FormContent {
    /// Pairs sorted by name; all bytes but letters, digits, `-`, `.`, `_` and `~` are escaped, blanks too (S-115).
    static func bytes(of fields: [String: String]) -> [UInt8] {
        let pairs = fields.sorted { $0.key < $1.key }.map { escaped($0.key) + [0x3D] + escaped($0.value) }
        return Array(pairs.joined(separator: [0x26]))
    }

    private static func escaped(_ text: String) -> [UInt8] {
        text.utf8.flatMap { byte -> [UInt8] in
            if isUnreserved(byte) { return [byte] }
            return [0x25, hexadecimal(byte >> 4), hexadecimal(byte & 0xF)]
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 { digit < 10 ? 0x30 + digit : 0x41 + digit - 10 }
}
