/// Which form of an original: what a pipeline makes of it for requests of one kind.
package struct RenditionKey: Sendable, Hashable {
    /// The pipeline's.
    package let fingerprint: String
    /// What the output depends on in the request; empty for nothing.
    package let variation: String

    package init(fingerprint: String, variation: String) {
        self.fingerprint = fingerprint
        self.variation = variation
    }

    /// What distinguishes the form's entity tag from the original's.
    var tagSuffix: String {
        variation.isEmpty ? fingerprint : fingerprint + "." + StableDigest.hex(variation).prefix(8)
    }
}
