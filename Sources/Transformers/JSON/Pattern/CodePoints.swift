/// Code points of UTF-8, in which a surrogate may stand alone in three bytes.
enum CodePoints {
    /// The code point at `at`, which moves behind it; nil at the end.
    ///
    /// The bytes are well-formed: what is not gives some code point or other.
    @inline(__always)
    static func next(_ bytes: [UInt8], _ at: inout Int) -> UInt32? {
        guard at < bytes.count else { return nil }
        let first = bytes[at]
        at += 1
        if first < 0x80 { return UInt32(first) }
        let length = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
        var point = UInt32(first) & (0x3F >> UInt32(length))
        for _ in 0..<length where at < bytes.count {
            point = point << 6 | UInt32(bytes[at] & 0x3F)
            at += 1
        }
        return point
    }

    /// How many there are.
    static func count(_ bytes: [UInt8]) -> Int { bytes.count { $0 & 0xC0 != 0x80 } }
}
