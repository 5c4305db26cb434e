/// Random distances between requests of which one in so many is looked at, since clients send requests in rounds.
struct RandomDistance {
    private var state: UInt32

    /// - Parameter seed: not 0.
    init(seed: UInt32 = 0x9E37_79B9) { state = seed }

    /// From 1 to twice the mean less 1.
    mutating func next(mean: Int) -> Int {
        // xorshift
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        return 1 + Int(state) % max(1, 2 * mean - 1)
    }
}
