public import HTTPCore

/// What a request with side effects makes invalid (RFC 9111 §4.4).
public enum Invalidation {
    /// Any method that is not known to be safe, unknown ones included; QUERY is safe (RFC 10008).
    public static func isUnsafe(_ method: Method) -> Bool {
        switch method {
        case .get, .head, .options, .trace: false
        case .other(let name): name != Array("QUERY".utf8)
        case .post, .put, .delete, .connect, .patch: true
        }
    }

    /// The URIs whose stored responses a response makes invalid.
    ///
    /// The target, and what Location and Content-Location name at the same origin; none after an error, or after a safe
    /// method.
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
}
