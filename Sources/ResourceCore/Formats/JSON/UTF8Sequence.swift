/// The bytes of one character beyond ASCII that are still to come (RFC 3629 §4).
struct UTF8Sequence: Sendable {
    private var missing: UInt8
    /// What the next byte may be.
    private var low: UInt8
    private var high: UInt8

    /// Nil if no character begins with `byte`.
    @inline(__always)
    init?(first byte: UInt8) {
        low = 0x80
        high = 0xBF
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0...0xEF:
            missing = 2
            // No overlong forms, no surrogates.
            if byte == 0xE0 { low = 0xA0 }
            if byte == 0xED { high = 0x9F }
        case 0xF0...0xF4:
            missing = 3
            if byte == 0xF0 { low = 0x90 }
            if byte == 0xF4 { high = 0x8F }
        default: return nil
        }
    }

    @inline(__always) var isComplete: Bool { missing == 0 }

    /// Takes the next byte; false if it cannot follow.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard byte >= low, byte <= high else { return false }
        low = 0x80
        high = 0xBF
        missing &-= 1
        return true
    }
}
