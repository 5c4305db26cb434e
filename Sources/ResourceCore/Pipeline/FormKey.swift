/// Which form of an original: what a pipeline makes of it for requests of one kind.
struct FormKey: Sendable, Hashable {
    /// The pipeline's.
    let fingerprint: String
    /// What the output depends on in the request; empty for nothing.
    let variation: String

    /// What distinguishes the form's entity tag from the original's.
    var tagSuffix: String {
        variation.isEmpty ? fingerprint : fingerprint + "." + StableDigest.hex(variation).prefix(8)
    }
}
