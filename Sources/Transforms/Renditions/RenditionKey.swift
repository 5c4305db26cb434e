/// Identifies a rendition: the result of a pipeline for an original and one kind of request.
package struct RenditionKey: Sendable, Hashable {
    /// The fingerprint of the pipeline.
    package let fingerprint: String
    /// The part of the request that the output depends on; empty if it depends on none.
    package let variation: String

    package init(fingerprint: String, variation: String) {
        self.fingerprint = fingerprint
        self.variation = variation
    }

    /// Distinguishes the rendition's entity tag from the original's.
    var tagSuffix: String {
        variation.isEmpty ? fingerprint : fingerprint + "." + StableDigest.hex(variation).prefix(8)
    }
}
