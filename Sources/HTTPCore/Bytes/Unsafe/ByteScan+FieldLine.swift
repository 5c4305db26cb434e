/// The positions of the parts of a field line.
struct FieldLineShape {
    var colon: Int
    /// The value without blanks at its ends.
    var value: Range<Int>
    /// The index after the CRLF.
    var end: Int
}

extension ByteScan {
    /// The parts of a well-formed, complete line, whose name is not checked yet; nil for other lines.
    ///
    /// Nearly every line goes this way, which is a tenth cheaper. The other lines are left to `FieldLineParser`.
    @inline(__always)
    static func fieldLine(_ input: Span<UInt8>, from start: Int, to end: Int) -> FieldLineShape? {
        let colon = nameEnd(input, from: start, to: end)
        return unsafe input.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, colon > start, colon < end else { return nil }
            guard unsafe base.load(fromByteOffset: colon, as: UInt8.self) == 0x3A else { return nil }
            var first = colon &+ 1
            while first < end, unsafe base.load(fromByteOffset: first, as: UInt8.self).isBlank { first &+= 1 }
            let stop = valueEnd(input, from: first, to: end)
            guard stop &+ 2 <= end,
                unsafe base.loadUnaligned(fromByteOffset: stop, as: UInt16.self).littleEndian == 0x0A0D
            else { return nil }
            var last = stop
            while last > first, unsafe base.load(fromByteOffset: last &- 1, as: UInt8.self).isBlank { last &-= 1 }
            return FieldLineShape(
                colon: colon,
                value: first..<last,
                end: stop &+ 2
            )
        }
    }

    /// A name of 1 to 32 bytes as words, for `KnownFieldTable.Name`.
    @inline(__always)
    static func nameWords(
        _ input: Span<UInt8>,
        _ range: Range<Int>
    ) -> (first: UInt64, second: UInt64, third: UInt64, last: UInt64) {
        let count = range.count
        precondition(count > 0 && range.lowerBound >= 0 && range.upperBound <= input.count)
        return unsafe input.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return (0, 0, 0, 0) }
            let start = unsafe base + range.lowerBound
            if count >= 8 {
                let first = unsafe start.loadUnaligned(as: UInt64.self).littleEndian
                let last = unsafe start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self).littleEndian
                guard count > 16 else { return (first, 0, 0, last) }
                let second = unsafe start.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian
                let third = unsafe start.loadUnaligned(fromByteOffset: count &- 16, as: UInt64.self).littleEndian
                return (first, second, third, last)
            }
            if count >= 4 {
                let one = unsafe UInt64(start.loadUnaligned(as: UInt32.self).littleEndian)
                let other = unsafe UInt64(start.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self).littleEndian)
                return (one << 32 | other, 0, 0, 0)
            }
            let one = unsafe UInt64(start.load(as: UInt8.self))
            let middle = unsafe UInt64(start.load(fromByteOffset: count / 2, as: UInt8.self))
            let last = unsafe UInt64(start.load(fromByteOffset: count &- 1, as: UInt8.self))
            return (one << 16 | middle << 8 | last, 0, 0, 0)
        }
    }
}
