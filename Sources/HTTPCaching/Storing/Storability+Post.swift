public import HTTPCore

extension ResponseMetadata {
    /// Decides whether this response to POST may be stored for later GET and HEAD (RFC 9110 §9.3.3).
    ///
    /// It must be a 200 with a stated lifetime, and its Content-Location must be the target itself. Invalidate first,
    /// then store; never answer a POST with it.
    /// - Parameter fields: the fields of the response.
    public func storabilityOfPost(
        to target: TargetURI,
        fields: Fields,
        request: RequestProfile,
        options: CachingOptions
    ) -> Storability {
        guard request.method == .post else { return .refuse(.method) }
        guard status == 200, originLifetime.source.isExplicit, lifetimeSeconds > 0 else {
            return .refuse(.notTheTarget)
        }
        guard fields.count(of: .contentLocation) == 1, let location = fields.value(of: .contentLocation) else {
            return .refuse(.notTheTarget)
        }
        guard target.resolving(location) == target else { return .refuse(.notTheTarget) }
        return storabilityOfContent(for: request, options: options)
    }
}
