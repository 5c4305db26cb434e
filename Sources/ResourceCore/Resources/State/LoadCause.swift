import Exchanges
package import HTTPCaching
import HTTPCore

/// What a load was started for; never changes.
///
/// An object: each event of the load hands it on.
final class LoadCause: Sendable {
    /// The request that caused it; its fields and credentials select the variant.
    let request: ClientRequest
    let sentAt: MonotonicTime
    let forward: ForwardReason
    /// The word for why, where `forward` does not say it all.
    let reason: String?
    /// Stored responses that it is about; nil if nothing is stored.
    private let basis: Boxed<LoadBasis>?
    /// Before its head nobody joins it.
    let isHitForMiss: Bool
    /// Refreshes what was served stale, or was asked for by nobody in particular: never abandoned.
    let isBackground: Bool
    /// Whether the response is kept for `latestResponse` even if no cache may reuse it.
    let keepsUncacheable: Bool
    /// Brings the part a request asked for: nobody but that request waits for it, and to programs it is no load.
    let isRanged: Bool
    /// It brings what a POST was answered with: nobody joins it, and nobody waits for it (C-9.1).
    let isPost: Bool
    /// The names that select as far as known when it began.
    let vary: VaryNames

    init(
        _ plan: LoadPlan,
        request: ClientRequest,
        sentAt: MonotonicTime,
        isBackground: Bool,
        keepsUncacheable: Bool = false,
        isPost: Bool = false,
        vary: VaryNames
    ) {
        self.request = request
        self.sentAt = sentAt
        forward = plan.forward
        reason = plan.reason
        basis = plan.basis
        isHitForMiss = plan.isHitForMiss
        self.isBackground = isBackground
        self.keepsUncacheable = keepsUncacheable
        isRanged = plan.isRanged
        self.isPost = isPost
        self.vary = vary
    }

    /// The stored responses whose validators were sent, the selected one first.
    var offered: [StoredResponse] { basis?.offered ?? [] }
    /// The stored response that its request selected.
    var selected: StoredResponse? { basis?.selected }
    /// The stored first part whose rest was asked for.
    var prefix: StoredResponse? { basis?.prefix }

    /// The selection of its request by `vary`; computed anew, since most loads end before anybody asks.
    func selection(_ context: ResourceContext) -> [UInt8] { context.selection(vary, request.fields) }

    /// What one request asked for is no load to observers; new data that it brings is theirs all the same.
    var reportsToObservers: Bool { !isRanged && !isPost }
    /// Looks in the background whether a stored part is still right; the whole is of no use then, unless it is small.
    var refreshesPart: Bool { isBackground && offered.first?.extent != nil }

    /// Whether a load for `request` in the background would bring what this one brings.
    ///
    /// Whose request it was does not matter: what another one's load is going to replace is not loaded again meanwhile.
    func isAbout(_ stored: StoredResponse) -> Bool {
        offered.contains { $0.isSame(as: stored) } || selected.map { $0.isSame(as: stored) } ?? false
    }
}

/// How a response is to be loaded.
package struct LoadPlan: Sendable {
    package var forward: ForwardReason
    /// Nobody waits for its head but the request that causes it.
    var isHitForMiss: Bool
    /// The word for why, where `forward` does not say it all.
    package var reason: String?
    /// The request's own part is asked for.
    var isRanged = false
    /// Stored responses that it is about; nil if nothing is stored.
    var basis: Boxed<LoadBasis>?

    /// Stored responses to validate, the selected one first.
    package var offered: [StoredResponse] { basis?.offered ?? [] }
    /// A stored first part of the whole that is asked for.
    package var prefix: StoredResponse? { basis?.prefix }
}

/// The stored responses that a load validates, replaces or completes.
struct LoadBasis: Sendable {
    /// Those whose validators are sent, the selected one first.
    var offered: [StoredResponse] = []
    /// What the request selected: most likely what the load is going to replace.
    var selected: StoredResponse?
    /// A stored first part of the whole that is asked for: only the rest is (RFC 9111 §3.3).
    var prefix: StoredResponse?
}
