import TestSupport

/// Bytes that do not compress, the same in each run.
func noise(_ count: Int) -> [UInt8] {
    var random = FixedRandom(seed: 5)
    return random.bytes(count)
}
