/// Scans bytes, eight at a time, and makes the copies of the hot path.
///
/// No other code of the target reads memory through pointers. The parser takes more than half of the instructions of a
/// hit, and checks per byte took half of the parser. So every function checks its range once, at the start.
enum ByteScan {
    /// The index of the first control other than HTAB, which a field value must not contain; otherwise `end`.
    @inline(__always)
    static func valueEnd(_ input: Span<UInt8>, from start: Int, to end: Int) -> Int {
        precondition(start >= 0 && start <= end && end <= input.count)
        return unsafe input.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return end }
            var at = start
            while at &+ 16 <= end {
                let one = unsafe base.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                let other = unsafe base.loadUnaligned(fromByteOffset: at &+ 8, as: UInt64.self)
                if (Marks.unusual(one) | Marks.unusual(other)) & Marks.highs != 0 { break }
                at &+= 16
            }
            while at &+ 8 <= end {
                let word = unsafe base.loadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian
                var marks = Marks.controls(word)
                while marks != 0 {
                    let found = at &+ marks.trailingZeroBitCount / 8
                    if unsafe base.load(fromByteOffset: found, as: UInt8.self) != 0x09 { return found }
                    marks &= marks &- 1
                }
                at &+= 8
            }
            while at < end {
                let byte = unsafe base.load(fromByteOffset: at, as: UInt8.self)
                if (byte < 0x20 && byte != 0x09) || byte == 0x7F { return at }
                at += 1
            }
            return end
        }
    }

    /// The index of the first byte that is a colon, or not visible ASCII; otherwise `end`.
    @inline(__always)
    static func nameEnd(_ input: Span<UInt8>, from start: Int, to end: Int) -> Int {
        visibleEnd(input, from: start, to: end, stop: 0x3A)
    }

    /// The index of the first byte that is a `#`, or not visible ASCII; otherwise `end`.
    @inline(__always)
    static func targetEnd(_ input: Span<UInt8>, from start: Int, to end: Int) -> Int {
        visibleEnd(input, from: start, to: end, stop: 0x23)
    }

    @inline(__always)
    private static func visibleEnd(_ input: Span<UInt8>, from start: Int, to end: Int, stop: UInt8) -> Int {
        precondition(start >= 0 && start <= end && end <= input.count)
        return unsafe input.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return end }
            var at = start
            while at &+ 8 <= end {
                let word = unsafe base.loadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian
                let marks = Marks.invisible(word) | Marks.equal(word, stop)
                if marks != 0 { return at &+ marks.trailingZeroBitCount / 8 }
                at &+= 8
            }
            while at < end {
                let byte = unsafe base.load(fromByteOffset: at, as: UInt8.self)
                if byte <= 0x20 || byte >= 0x7F || byte == stop { return at }
                at += 1
            }
            return end
        }
    }

    /// The index of the first byte that is not one of `bytes`; otherwise `end`.
    @inline(__always)
    static func end(of bytes: ByteClass, _ input: Span<UInt8>, from start: Int, to end: Int) -> Int {
        precondition(start >= 0 && start <= end && end <= input.count)
        return unsafe input.withUnsafeBytes { raw in
            var at = start
            while at < end, unsafe bytes.contains(raw[at]) { at += 1 }
            return at
        }
    }

    /// The eight bytes at `start` as a little-endian number.
    @inline(__always)
    static func word(_ input: Span<UInt8>, at start: Int) -> UInt64 {
        precondition(start >= 0 && start + 8 <= input.count)
        return unsafe input.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: start, as: UInt64.self) }
            .littleEndian
    }

    /// Replaces the content of `target` with `input[range]`; allocates only if the capacity is too small.
    @inline(__always)
    static func replace(_ target: inout [UInt8], with input: Span<UInt8>, _ range: Range<Int>) {
        if target.capacity == 0 {
            target = [UInt8](copying: input.extracting(range))
            return
        }
        if target.count != range.count {
            target.removeAll(keepingCapacity: true)
            append(input, range, to: &target)
            return
        }
        precondition(range.lowerBound >= 0 && range.upperBound <= input.count)
        unsafe target.withUnsafeMutableBytes { bytes in
            unsafe input.withUnsafeBytes { unsafe bytes.copyMemory(from: .init(rebasing: $0[range])) }
        }
    }

    /// Appends `input[range]`.
    @inline(__always)
    static func append(_ input: Span<UInt8>, _ range: Range<Int>, to target: inout [UInt8]) {
        precondition(range.lowerBound >= 0 && range.upperBound <= input.count)
        unsafe input.withUnsafeBufferPointer { raw in
            unsafe target.append(contentsOf: UnsafeBufferPointer(rebasing: raw[range]))
        }
    }

    /// Appends the text of a literal.
    @inline(__always)
    static func append(_ text: StaticString, to target: inout [UInt8]) {
        text.withUTF8Buffer { unsafe target.append(contentsOf: $0) }
    }

    /// Appends a number in decimal.
    static func append(decimal number: UInt64, to target: inout [UInt8]) {
        var digits: InlineArray<20, UInt8> = .init(repeating: 0)
        var at = 20
        var rest = number
        repeat {
            at -= 1
            digits[at] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(digits.span, at..<20, to: &target)
    }

    /// Whether `input` and `text` have the same bytes.
    @inline(__always)
    static func equals(_ input: Span<UInt8>, _ text: StaticString) -> Bool {
        guard input.count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { letters in
            for index in letters.indices where unsafe input[index] != letters[index] { return false }
            return true
        }
    }

    /// Whether two runs of bytes are the same.
    static func equals(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        let count = one.count
        guard count == other.count else { return false }
        return unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                var at = 0
                while at &+ 8 <= count {
                    let left = unsafe one.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                    guard unsafe left == other.loadUnaligned(fromByteOffset: at, as: UInt64.self) else { return false }
                    at &+= 8
                }
                guard at < count else { return true }
                if count >= 8 {
                    let left = unsafe one.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
                    return unsafe left == other.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
                }
                while at < count {
                    guard unsafe one[at] == other[at] else { return false }
                    at &+= 1
                }
                return true
            }
        }
    }

    /// Up to seven bytes at the end of `input`, from `start`, as a little-endian number.
    @inline(__always)
    static func rest(_ input: Span<UInt8>, from start: Int) -> UInt64 {
        let count = input.count - start
        guard count > 0 else { return 0 }
        precondition(start >= 0 && count < 8)
        if input.count >= 8 { return word(input, at: input.count - 8) >> UInt64(8 * (8 - count)) }
        var word: UInt64 = 0
        for index in (start..<input.count).reversed() { word = word << 8 | UInt64(input[index]) }
        return word
    }

    /// Whether two parts of `input` are equal.
    static func equals(_ input: Span<UInt8>, _ one: Range<Int>, _ other: Range<Int>) -> Bool {
        equals(input.extracting(one), input.extracting(other))
    }

    /// Whether `input[range]` equals `text`, ignoring ASCII case; `text` is lower-case.
    @inline(__always)
    static func matches(_ input: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard range.count == count, range.lowerBound >= 0, range.upperBound <= input.count else { return false }
        return unsafe input.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return count == 0 }
            let start = unsafe base + range.lowerBound
            let letters = unsafe UnsafeRawPointer(text.utf8Start)
            guard count >= 8 else { return unsafe matches(start, letters, from: 0, to: count) }
            var at = 0
            while at &+ 8 <= count {
                guard unsafe matchesWord(start + at, letters + at) else { return false }
                at &+= 8
            }
            return unsafe matchesWord(start + (count - 8), letters + (count - 8))
        }
    }

    @inline(__always)
    private static func matchesWord(_ bytes: UnsafeRawPointer, _ letters: UnsafeRawPointer) -> Bool {
        let word = unsafe Marks.lowercased(bytes.loadUnaligned(as: UInt64.self))
        return unsafe word == letters.loadUnaligned(as: UInt64.self)
    }

    @inline(__always)
    private static func matches(
        _ one: UnsafeRawPointer,
        _ other: UnsafeRawPointer,
        from start: Int,
        to end: Int
    ) -> Bool {
        for offset in start..<end
        where unsafe one.load(fromByteOffset: offset, as: UInt8.self).asciiLowercased
            != other.load(fromByteOffset: offset, as: UInt8.self)
        { return false }
        return true
    }
}

/// Finds the bytes of a word that have a property, and sets their high bits.
///
/// The lowest mark is exact. A higher one may be wrong after a carry, which is harmless for a caller that needs the
/// first. The marks of `controls` are all exact.
enum Marks {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highs: UInt64 = 0x8080_8080_8080_8080
    static let lows: UInt64 = 0x7F7F_7F7F_7F7F_7F7F

    /// The word with `A` to `Z` turned into `a` to `z`.
    @inline(__always)
    static func lowercased(_ word: UInt64) -> UInt64 {
        let low = word & lows
        let fromA = low &+ 0x3F3F_3F3F_3F3F_3F3F
        let aboveZ = low &+ 0x2525_2525_2525_2525
        return word | (fromA & ~aboveZ & ~word & highs) >> 2
    }

    /// Not 0 if any byte is a control, DEL, or 0x80 or above: the cheapest test for plain text.
    @inline(__always)
    static func unusual(_ word: UInt64) -> UInt64 {
        (word &- 0x2020_2020_2020_2020) | (word &+ ones)
    }

    /// Marks bytes below 0x20, and DEL.
    @inline(__always)
    static func controls(_ word: UInt64) -> UInt64 {
        let low = word & lows
        return (~(low &+ 0x6060_6060_6060_6060) | (low &+ ones)) & ~word & highs
    }

    /// Marks bytes up to 0x20, DEL, and bytes from 0x80.
    @inline(__always)
    static func invisible(_ word: UInt64) -> UInt64 {
        let low = word & lows
        return (~(low &+ 0x5F5F_5F5F_5F5F_5F5F) | (low &+ ones) | word) & highs
    }

    /// Marks bytes equal to `byte`, which must be below 0x80; may also mark the byte after one of these.
    @inline(__always)
    static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = word ^ (UInt64(byte) &* ones)
        return (difference &- ones) & ~difference & highs
    }
}
