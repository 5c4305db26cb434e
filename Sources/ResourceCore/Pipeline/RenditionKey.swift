/// Which form of an original: what a pipeline makes of it for requests of one kind.
struct RenditionKey: Sendable, Hashable {
    /// The pipeline's.
    let fingerprint: String
    /// What the output depends on in the request; empty for nothing.
    let variation: String

    /// Raised whenever a transformer puts out other bytes than before under the same options.
    private static let edition = 1

    /// What a store knows it by.
    var name: FormName { FormName(pipeline: "\(Self.edition)-\(fingerprint)", variation: variation) }

    /// What distinguishes the form's entity tag from the original's.
    var tagSuffix: String {
        variation.isEmpty ? fingerprint : fingerprint + "." + StableDigest.hex(variation).prefix(8)
    }
}
