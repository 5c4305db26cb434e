import HTTPCore

/// Why every request of a resource fails: what a program gave is no URL (S-011, S-012).
///
/// An object: each resource has room for one, and hardly any has one.
final class InvalidURL: Sendable {
    /// What was given; nil if nothing was.
    let text: String?

    init(text: String?) { self.text = text }

    /// Stands in the place of the URI: no text is read as it, and no table knows it.
    static let placeholder = TargetURI(scheme: .http, host: [], port: 80, path: [])

    /// The defaults: no closure is asked (S-012).
    static let configuration = EffectiveConfiguration(values: Configuration(), sources: [], partName: nil)
}
