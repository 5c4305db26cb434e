public import HTTPCore

extension ResponseMetadata {
    /// Judges whether this response to POST may be stored as the answer to later GET and HEAD (RFC 9110 §9.3.3).
    ///
    /// Only a 200 with a stated lifetime whose Content-Location is the target itself. Invalidate first, then store; never
    /// answer a POST from it.
    /// - Parameter fields: the response's.
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
