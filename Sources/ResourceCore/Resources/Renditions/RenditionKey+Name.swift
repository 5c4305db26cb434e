import Transforms

extension RenditionKey {
    /// Raised whenever a transformer puts out other bytes than before under the same options.
    private static let edition = 1

    /// What a store knows the rendition by.
    var name: FormName { FormName(pipeline: "\(Self.edition)-\(fingerprint)", variation: variation) }
}
