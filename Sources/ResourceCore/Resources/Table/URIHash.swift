import HTTPCore

/// A hash of URIs that cannot be predicted outside of the process.
struct URIHash: Sendable {
    private let seeds: (UInt64, UInt64)

    init() { seeds = (.random(in: .min ... .max), .random(in: .min ... .max) | 1) }

    func hash(_ bytes: Span<UInt8>) -> UInt64 { bytes.hash(seeds: seeds.0, seeds.1) }
}
