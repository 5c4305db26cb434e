/// Operations for other modules that handle eight bytes at a time.
extension Span<UInt8> {
    /// Whether both spans have the same bytes.
    public func hasSameBytes(as other: Span<UInt8>) -> Bool { ByteScan.equals(self, other) }

    /// A hash of the bytes and their number, folded by a wide multiplication; the second seed must be odd.
    ///
    /// Without both seeds it cannot be predicted.
    public func hash(seeds first: UInt64, _ second: UInt64) -> UInt64 {
        let factor = 0xA076_1D64_78BD_642F ^ first
        func fold(_ value: UInt64) -> UInt64 {
            let product = (value ^ second).multipliedFullWidth(by: factor)
            return product.high ^ product.low
        }
        var state = first ^ UInt64(truncatingIfNeeded: count)
        var index = 0
        while index &+ 8 <= count {
            state = fold(state ^ ByteScan.word(self, at: index))
            index &+= 8
        }
        if index < count { state = fold(state ^ ByteScan.rest(self, from: index)) }
        return fold(state ^ 0x9E37_79B9_7F4A_7C15)
    }
}
