public import HTTPCore

/// The context of one run.
public struct TransformContext: Sendable {
    public let uri: TargetURI
    /// The client's end-to-end request fields, for output that depends on them (see `StreamingTransformer.variation`).
    ///
    /// `Host` is present only for requests to the prefix gateway: absolute URLs in prefix form begin with it.
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
