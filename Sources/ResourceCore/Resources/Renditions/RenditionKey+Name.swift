import Transforms

extension RenditionKey {
    /// Raised whenever a transformer produces other bytes than before with the same options.
    private static let edition = 1

    /// The name of the rendition in a store.
    var name: RenditionName { RenditionName(pipeline: "\(Self.edition)-\(fingerprint)", variation: variation) }
}
