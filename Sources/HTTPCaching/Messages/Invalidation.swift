public import HTTPCore

/// What a request with side effects invalidates (RFC 9111 §4.4).
public enum Invalidation {
    /// Whether the method is not known to be safe; unknown methods are unsafe, QUERY is safe (RFC 10008).
    public static func isUnsafe(_ method: Method) -> Bool { !method.isSafe }

    /// The URIs whose stored responses a response invalidates.
    ///
    /// These are the target, and the URIs of Location and Content-Location at the same origin. An error, or a safe
    /// method, invalidates nothing.
    public static func targets(
        method: Method,
        target: TargetURI,
        status: UInt16,
        fields: Fields
    ) -> [TargetURI] {
        guard isUnsafe(method), (200..<400).contains(status) else { return [] }
        var targets = [target]
        for field in [KnownField.location, .contentLocation] {
            for reference in fields.values(of: field) {
                guard let other = target.resolving(reference), other.hasSameOrigin(as: target) else { continue }
                if !targets.contains(other) { targets.append(other) }
            }
        }
        return targets
    }

    /// The groups whose stored responses a response invalidates (RFC 9875 §3).
    ///
    /// They are groups of the target's origin. An error, or a safe method, invalidates nothing.
    public static func groups(method: Method, target: TargetURI, status: UInt16, fields: Fields) -> [CacheTag] {
        guard isUnsafe(method), (200..<400).contains(status) else { return [] }
        return CacheTags.invalidated(by: fields, of: target)
    }
}
