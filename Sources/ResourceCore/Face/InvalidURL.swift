import HTTPCore

/// Why every request of a resource fails: what a program gave is no URL (S-011, S-012).
struct InvalidURL: Sendable {
    /// What was given; nil if nothing was.
    let text: String?

    /// Stands in the place of the URI: no text is read as it, and no table knows it.
    static let placeholder = TargetURI(scheme: .http, host: [], port: 80, path: [])

    /// The defaults: no closure is asked (S-012).
    static let configuration = EffectiveConfiguration(values: Configuration(), sources: [], partName: nil)
}
