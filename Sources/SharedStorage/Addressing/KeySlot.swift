/// The slot of a key in a cluster: the CRC-16 of the key, or of the text in its first braces (the hash tag).
enum KeySlot {
    static let count = 16_384

    static func slot(of key: [UInt8]) -> UInt16 { crc(tag(of: key)) % UInt16(count) }

    /// What decides the slot: bytes between the first `{` and the next `}`, if there are any, or the whole key.
    static func tag(of key: [UInt8]) -> ArraySlice<UInt8> {
        guard let open = key.firstIndex(of: UInt8(ascii: "{")),
            let close = key[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
        else { return key[...] }
        return key[(open + 1)..<close]
    }

    /// CRC-16/XMODEM.
    static func crc(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        bytes.reduce(0) { $0 << 8 ^ table[Int(UInt8($0 >> 8) ^ $1)] }
    }

    private static let table: [UInt16] = (0..<256).map { byte in
        (0..<8).reduce(UInt16(byte) << 8) { crc, _ in crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
    }
}
