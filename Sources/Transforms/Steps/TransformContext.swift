public import HTTPCore

/// The context of one run.
public struct TransformContext: Sendable {
    public let uri: TargetURI
    /// The client's end-to-end request fields, for what depends on them (see `StreamingTransformer.variation`).
    ///
    /// `Host` is there for requests by the prefix gateway only: what absolute URLs in prefix form begin with.
    public let request: Fields
    public let limits: TransformLimits
    public let budget: TransformBudget

    public init(uri: TargetURI, request: Fields, limits: TransformLimits, budget: TransformBudget) {
        self.uri = uri
        self.request = request
        self.limits = limits
        self.budget = budget
    }
}
