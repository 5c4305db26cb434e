import Exchanges
import HTTPCaching
import HTTPCore

/// Why a load was started; never changes.
///
/// An object, because each event of the load passes it on.
final class LoadCause: Sendable {
    /// The request that caused it; its fields and credentials select the variant.
    let request: ClientRequest
    let sentAt: MonotonicTime
    let plan: LoadPlan
    /// Refreshes what was served stale, or was asked for by no client in particular: never abandoned.
    let isBackground: Bool
    /// Whether the response is kept for `latestResponse` even if no cache may reuse it.
    let keepsUncacheable: Bool
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
        self.plan = plan
        self.isBackground = isBackground
        self.keepsUncacheable = keepsUncacheable
        self.isPost = isPost
        self.vary = vary
    }

    /// Loads the range of one request, which alone waits for it; programs do not see it as a load.
    var isRanged: Bool { plan.isRanged }
    /// The stored responses whose validators were sent, the selected one first.
    var offered: [StoredResponse] { plan.offered }
    /// The stored response that its request selected.
    var selected: StoredResponse? { plan.basis?.selected }
    /// The stored first part whose rest is loaded.
    var prefix: StoredResponse? { plan.prefix }
    /// The stored part that its bytes are added to.
    var part: StoredResponse? { plan.part }
    /// The bytes that it asks for to add them to a part; nil: others.
    var hole: Range<Int64>? { plan.hole }
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
