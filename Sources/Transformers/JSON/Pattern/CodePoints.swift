/// The code points of UTF-8, in which a single surrogate may appear as three bytes.
enum CodePoints {
    /// Returns the code point at `at` and moves `at` past it; nil at the end.
    ///
    /// The bytes must be well-formed; otherwise the result is some code point.
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

    /// The number of code points.
    static func count(_ bytes: [UInt8]) -> Int { bytes.count { $0 & 0xC0 != 0x80 } }
}
