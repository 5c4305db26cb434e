/// Finds a known field by the bytes of its name; hashes at most four words, and allocates nothing.
struct KnownFieldTable: Sendable {
    /// All bytes of a name of 1 to 32 bytes, lower-cased; the words may overlap.
    ///
    /// Setting bit 5 of every byte lower-cases letters and leaves digits and `-` alone. Of the other `tchar`s only `^`
    /// and `_` change, into bytes that no known name has. So a name that equals a known one needs no check of its
    /// characters.
    struct Name: Equatable, Sendable {
        var count: Int
        var first: UInt64
        var second: UInt64
        var third: UInt64
        var last: UInt64

        /// Returns nil if the name is empty, or longer than any known one.
        @inline(__always)
        init?(_ input: Span<UInt8>, _ range: Range<Int>) {
            let blank: UInt64 = 0x2020_2020_2020_2020
            count = range.count
            guard count > 0, count <= 32 else { return nil }
            let words = ByteScan.nameWords(input, range)
            first = words.first | blank
            second = words.second | blank
            third = words.third | blank
            last = words.last | blank
        }

        @inline(__always) var slot: Int {
            let mixed = (first ^ (last << 7 | last >> 57)) &+ UInt64(truncatingIfNeeded: count)
            return Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> 56)
        }
    }

    private struct Slot: Sendable {
        var name: Name
        var field: KnownField
    }

    /// 256 slots, about a quarter of them in use.
    ///
    /// A name is in the first slot that was free, beginning at the slot of its hash.
    private var slots: [Slot?]

    private init() {
        slots = Array(repeating: nil, count: 256)
        for field in KnownField.allCases {
            let bytes = field.bytes
            guard let name = Name(bytes.span, 0..<bytes.count) else { preconditionFailure("a name is too long") }
            var slot = name.slot
            while slots[slot] != nil { slot = (slot + 1) & 255 }
            slots[slot] = Slot(name: name, field: field)
        }
    }

    static let shared = KnownFieldTable()

    @inline(__always)
    func field(_ input: Span<UInt8>, _ range: Range<Int>) -> KnownField? {
        guard let name = Name(input, range) else { return nil }
        var slot = name.slot
        while let candidate = slots[slot] {
            if candidate.name == name { return candidate.field }
            slot = (slot + 1) & 255
        }
        return nil
    }
}
