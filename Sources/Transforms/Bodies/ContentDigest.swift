import HTTPCore

/// An incremental digest of content, the same in each process.
///
/// It makes entity tags where the origin gave none.
///
/// It has 128 bits and works on whole words. It does not resist an origin that constructs two contents with one digest:
/// that origin harms only itself.
package struct ContentDigest: Sendable {
    private var lanes: (UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F)
    private var word: UInt64 = 0
    private var filled: UInt64 = 0
    private var count: UInt64 = 0

    package init() {}

    package mutating func update(_ bytes: Span<UInt8>) {
        var index = 0
        while index < bytes.count {
            if filled == 0, index &+ 8 <= bytes.count {
                for position in index..<(index &+ 8) { word = word << 8 | UInt64(bytes[position]) }
                index &+= 8
                endWord()
            } else {
                word = word << 8 | UInt64(bytes[index])
                index &+= 1
                filled &+= 1
                if filled == 8 { endWord() }
            }
        }
        count &+= UInt64(bytes.count)
    }

    private mutating func endWord() {
        lanes.0 = Self.fold(lanes.0 ^ word, 0xA076_1D64_78BD_642F)
        lanes.1 = Self.fold(lanes.1 &+ word, 0xE703_7ED1_A0B4_28DB)
        word = 0
        filled = 0
    }

    private static func fold(_ value: UInt64, _ factor: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: factor)
        return (product.high ^ product.low) &+ value
    }

    /// The value of a digest.
    package struct Value: Hashable, Sendable {
        let first: UInt64
        let second: UInt64
    }

    /// The digest of the bytes so far.
    package var value: Value {
        var last = self
        last.word ^= filled << 56
        last.endWord()
        last.word = count
        last.endWord()
        return Value(first: last.lanes.0, second: last.lanes.1)
    }

    /// 32 hexadecimal digits.
    package var hex: String {
        let value = value
        return Self.digits(value.first) + Self.digits(value.second)
    }

    private static func digits(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
