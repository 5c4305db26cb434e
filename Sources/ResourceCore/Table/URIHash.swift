/// A hash of URIs that nobody outside of the process can foresee.
struct URIHash: Sendable {
    private let seed: (UInt64, UInt64)

    init() { seed = (.random(in: .min ... .max), .random(in: .min ... .max) | 1) }

    /// Eight octets at a time, folded by a wide multiplication.
    func hash(_ octets: Span<UInt8>) -> UInt64 {
        var state = seed.0 ^ UInt64(truncatingIfNeeded: octets.count)
        var index = 0
        while index &+ 8 <= octets.count {
            state = fold(state ^ word(octets, index, 8))
            index &+= 8
        }
        if index < octets.count { state = fold(state ^ word(octets, index, octets.count &- index)) }
        return fold(state ^ 0x9E37_79B9_7F4A_7C15)
    }

    private func word(_ octets: Span<UInt8>, _ start: Int, _ count: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in start..<(start &+ count) { word = word << 8 | UInt64(octets[index]) }
        return word
    }

    private func fold(_ value: UInt64) -> UInt64 {
        let product = (value ^ seed.1).multipliedFullWidth(by: 0xA076_1D64_78BD_642F ^ seed.0)
        return product.high ^ product.low
    }
}
