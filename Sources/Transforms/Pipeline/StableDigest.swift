/// A digest of configuration that is the same in each process.
///
/// It does not resist an attacker who chooses the text.
enum StableDigest {
    /// FNV-1a of 64 bits with a final mix, as 16 hexadecimal digits.
    static func hex(_ text: String) -> String {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        state = (state ^ state >> 33) &* 0xFF51_AFD7_ED55_8CCD
        state = (state ^ state >> 33) &* 0xC4CE_B9FE_1A85_EC53
        state ^= state >> 33
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
