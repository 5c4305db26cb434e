extension [UInt8] {
    /// Appends two runs of bytes at once.
    public mutating func append(copying first: Span<UInt8>, _ second: Span<UInt8>) {
        append(addingCapacity: first.count + second.count) { target in
            target.append(copying: first, 0..<first.count)
            target.append(copying: second, 0..<second.count)
        }
    }
}

/// Writes heads and keys in one piece, with one check of capacity and uniqueness for all of it.
extension OutputSpan<UInt8> {
    /// Appends `input[range]`; there must be room.
    @inline(__always)
    mutating func append(copying input: Span<UInt8>, _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= input.count && range.count <= freeCapacity)
        unsafe withUnsafeMutableBufferPointer { bytes, count in
            unsafe input.withUnsafeBytes { raw in
                unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[count...])
                    .copyMemory(from: .init(rebasing: raw[range]))
            }
            count += range.count
        }
    }

    /// Appends `input[range]` with `A`…`Z` turned into `a`…`z`.
    @inline(__always)
    mutating func append(lowercasing input: Span<UInt8>, _ range: Range<Int>) {
        let start = count
        append(copying: input, range)
        unsafe withUnsafeMutableBufferPointer { bytes, count in
            let bytes = UnsafeMutableRawBufferPointer(bytes)
            var at = start
            while at &+ 8 <= count {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                unsafe bytes.storeBytes(of: Marks.lowercased(word), toByteOffset: at, as: UInt64.self)
                at &+= 8
            }
            while at < count {
                unsafe bytes[at] = bytes[at].asciiLowercased
                at &+= 1
            }
        }
    }

    /// Appends the text of a literal.
    @inline(__always)
    mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        precondition(length <= freeCapacity)
        unsafe withUnsafeMutableBufferPointer { bytes, count in
            unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[count...])
                .copyMemory(from: UnsafeRawBufferPointer(start: text.utf8Start, count: length))
            count += length
        }
    }

    /// Appends a number in decimal.
    @inline(__always)
    mutating func append(decimal number: UInt64) {
        var digits = 1
        var limit: UInt64 = 10
        while digits < 19, number >= limit {
            digits += 1
            limit &*= 10
        }
        if digits == 19, number >= limit { digits = 20 }
        precondition(digits <= freeCapacity)
        unsafe withUnsafeMutableBufferPointer { bytes, count in
            var rest = number
            for index in (0..<digits).reversed() {
                unsafe bytes.initializeElement(at: count + index, to: 0x30 + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            }
            count += digits
        }
    }
}
