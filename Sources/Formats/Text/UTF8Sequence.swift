/// The bytes that may follow the first byte of a UTF-8 character beyond ASCII (RFC 3629 §4).
///
/// It accepts no overlong form, no surrogate and nothing above U+10FFFF. All code in this package that reads UTF-8 uses
/// this table.
package struct UTF8Sequence: Sendable {
    /// The number of bytes still to come.
    private var missing: UInt8
    /// The range of the next byte, both ends included.
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
            // Exclude overlong forms and surrogates.
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
