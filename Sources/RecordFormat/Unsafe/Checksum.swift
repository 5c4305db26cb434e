import CXXHash
package import HTTPCore

/// A running XXH3-64 sum; it needs 0.1 µs for 1.4 KiB, much less than reading them.
@safe
package struct Checksum: ~Copyable {
    private let state: OpaquePointer?

    package init() {
        unsafe state = XXH3_createState()
        reset()
    }

    deinit { unsafe _ = XXH3_freeState(state) }

    package func reset() { unsafe _ = XXH3_64bits_reset(state) }

    package func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe _ = XXH3_64bits_update(state, $0.baseAddress, $0.count) }
    }

    package func update(_ chunk: ByteChunk) {
        chunk.withBytes { span in
            unsafe span.withUnsafeBytes { unsafe _ = XXH3_64bits_update(state, $0.baseAddress, $0.count) }
        }
    }

    package func update(_ number: Int64) {
        var value = number.littleEndian
        unsafe withUnsafeBytes(of: &value) { unsafe _ = XXH3_64bits_update(state, $0.baseAddress, $0.count) }
    }

    /// Adds the count of `bytes`, then `bytes`, so that no two sequences of parts look the same.
    package func updatePart(_ bytes: [UInt8]) {
        update(Int64(bytes.count))
        update(bytes)
    }

    package var digest: UInt64 { unsafe XXH3_64bits_digest(state) }

    /// The sum of `bytes`, under `seed`.
    package static func sum(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
    }
}
