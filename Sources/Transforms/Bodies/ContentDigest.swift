import HTTPCore

/// A digest of content that grows, the same in each process: what an entity tag is made of when the origin gave none.
///
/// 128 bits over whole words; an origin that wants two contents of its own to collide may have that.
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
                for place in index..<(index &+ 8) { word = word << 8 | UInt64(bytes[place]) }
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

    /// What it comes to.
    package struct Value: Hashable, Sendable {
        let first: UInt64
        let second: UInt64
    }

    /// Of what was added so far.
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
