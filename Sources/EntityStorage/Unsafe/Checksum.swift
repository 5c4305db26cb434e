import CXXHash
import HTTPCore

/// A running XXH3-64 sum; it needs 0.1 µs for 1.4 KiB, much less than reading them.
@safe
struct Checksum: ~Copyable {
    private let state: OpaquePointer?

    init() {
        unsafe state = XXH3_createState()
        reset()
    }

    deinit { unsafe _ = XXH3_freeState(state) }

    func reset() { unsafe _ = XXH3_64bits_reset(state) }

    func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe _ = XXH3_64bits_update(state, $0.baseAddress, $0.count) }
    }

    func update(_ chunk: ByteChunk) {
        chunk.withBytes { span in
            unsafe span.withUnsafeBytes { unsafe _ = XXH3_64bits_update(state, $0.baseAddress, $0.count) }
        }
    }

    func update(_ number: Int64) {
        var value = number.littleEndian
        unsafe withUnsafeBytes(of: &value) { unsafe _ = XXH3_64bits_update(state, $0.baseAddress, $0.count) }
    }

    /// Adds the count of `bytes`, then `bytes`, so that different sequences of parts have different input.
    func updatePart(_ bytes: [UInt8]) {
        update(Int64(bytes.count))
        update(bytes)
    }

    var digest: UInt64 { unsafe XXH3_64bits_digest(state) }

    /// The sum of `bytes`, under `seed`.
    static func sum(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
    }
}
