import Exchanges
package import HTTPCaching
import HTTPCore

/// How to load a response.
package struct LoadPlan: Sendable {
    package var forward: ForwardReason
    /// Whether only the request that causes it waits for its head.
    var isHitForMiss: Bool
    /// The reason in more detail than `forward`, if there is one.
    package var reason: String?
    /// Whether the request's own range is loaded.
    var isRanged = false
    /// The stored responses that it validates, replaces or completes; nil: none.
    var basis: Boxed<LoadBasis>?

    /// Stored responses to validate, the selected one first.
    package var offered: [StoredResponse] { basis?.offered ?? [] }
    /// The stored first part of the content; only the rest is requested.
    package var prefix: StoredResponse? { basis?.prefix }
    /// The bytes to add to stored parts, which are requested alone.
    package var hole: Range<Int64>? { basis?.hole }
    /// The stored parts that these bytes are added to.
    package var part: StoredResponse? { basis?.part }
}

/// The stored responses that a load validates, replaces or completes.
struct LoadBasis: Sendable {
    /// Responses whose validators are sent, the selected one first.
    var offered: [StoredResponse] = []
    /// The response that the request selected; the load most likely replaces it.
    var selected: StoredResponse?
    /// The stored first part of the content; only the rest is requested (RFC 9111 §3.3).
    var prefix: StoredResponse?
    /// The stored part to add bytes to (C-22.1).
    var part: StoredResponse?
    /// The bytes that are requested for it.
    var hole: Range<Int64>?
}

extension ClientRequest {
    /// The request of a load: a GET of the whole, or of this request's range.
    func loading(_ plan: LoadPlan) -> ClientRequest {
        guard let hole = plan.hole, let part = plan.part else { return loading(isRanged: plan.isRanged) }
        var request = loading(isRanged: true)
        request.fields = Completion.asking(request.fields, for: hole, of: part.metadata)
        return request
    }

    private func loading(isRanged: Bool) -> ClientRequest {
        let profile = profile
        if profile.method == .get, profile.directives.hasRange == isRanged, !profile.directives.hasCondition {
            return self
        }
        var request = self
        request.profile.method = .get
        request.profile.directives.hasRange = isRanged
        request.profile.directives.hasCondition = false
        return request
    }
}
