/// What must follow the first byte of a character beyond ASCII in UTF-8 (RFC 3629 §4).
///
/// It allows no overlong forms, no surrogates and nothing above U+10FFFF. All reading of UTF-8 in this package goes by this
/// table.
package struct UTF8Sequence: Sendable {
    /// Bytes that are still to come.
    private var missing: UInt8
    /// The next byte lies between these, both included.
    private var low: UInt8
    private var high: UInt8

    /// Nil if no character begins with `byte`.
    @inline(__always)
    package init?(first byte: UInt8) {
        low = 0x80
        high = 0xBF
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0...0xEF:
            missing = 2
            // An overlong form and a surrogate would begin like this.
            if byte == 0xE0 { low = 0xA0 }
            if byte == 0xED { high = 0x9F }
        case 0xF0...0xF4:
            missing = 3
            if byte == 0xF0 { low = 0x90 }
            if byte == 0xF4 { high = 0x8F }
        default: return nil
        }
    }

    @inline(__always) package var isComplete: Bool { missing == 0 }

    /// Accepts the next byte; returns false if it cannot follow.
    @inline(__always)
    package mutating func accept(_ byte: UInt8) -> Bool {
        guard byte >= low, byte <= high else { return false }
        low = 0x80
        high = 0xBF
        missing &-= 1
        return true
    }
}
