import Exchanges
package import HTTPCaching
import HTTPCore

/// Why a load was started; never changes.
///
/// An object, because each event of the load passes it on.
final class LoadCause: Sendable {
    /// The request that caused it; its fields and credentials select the variant.
    let request: ClientRequest
    let sentAt: MonotonicTime
    let forward: ForwardReason
    /// The reason in more detail than `forward`, if there is one.
    let reason: String?
    /// The stored responses that it validates, replaces or completes; nil: none.
    private let basis: Boxed<LoadBasis>?
    /// Whether no request may join before the head has come.
    let isHitForMiss: Bool
    /// Refreshes what was served stale, or was asked for by no client in particular: never abandoned.
    let isBackground: Bool
    /// Whether the response is kept for `latestResponse` even if no cache may reuse it.
    let keepsUncacheable: Bool
    /// Loads the range of one request, which alone waits for it; programs do not see it as a load.
    let isRanged: Bool
    /// Carries the response to a POST: no request joins it or waits for it (C-9.1).
    let isPost: Bool
    /// The names in Vary that were known when it began.
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
    /// The stored first part whose rest is loaded.
    var prefix: StoredResponse? { basis?.prefix }
    /// The stored part that its bytes are added to.
    var part: StoredResponse? { basis?.part }
    /// The bytes that it asks for to add them to a part; nil: others.
    var hole: Range<Int64>? { basis?.hole }
    /// The one range that it asks for, as far as that is known without the length; nil: none, or several.
    var asked: Range<Int64>? { isRanged ? hole ?? ContentExtent.asked(request.fields) : nil }

    /// The selection key of its request by `vary`; not kept, since most loads end before anyone needs it.
    func selection(_ context: ResourceContext) -> [UInt8] { context.selection(vary, request.fields) }
    /// Observers do not see loads of one range or of a POST; they see new data that these bring.
    var reportsToObservers: Bool { !isRanged && !isPost }
    /// Validates a stored part in the background; the whole is then of no use, unless it is small.
    var refreshesPart: Bool { isBackground && offered.first?.extent != nil }

    /// Whether this load makes a background load of `stored` needless.
    ///
    /// Any request may have caused it: a response that is about to be replaced is not loaded twice.
    func isAbout(_ stored: StoredResponse) -> Bool {
        offered.contains { $0.isSame(as: stored) } || selected.map { $0.isSame(as: stored) } ?? false
    }
}

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
