import Configurations
import HTTPCaching
import HTTPCore
import Stores
import Transforms

/// The judged head of a load's response; never changes.
package final class ReceivedHead: Sendable {
    package let response: LoadedResponse
    let storability: Storability
    /// The partition that will store the response; nil: it is not stored.
    let partition: Partition?
    /// The selection key of its variant.
    let selection: [UInt8]
    let sharing: Sharing
    /// The range in a 206; nil if the response is whole.
    let extent: ContentExtent?
    /// The origin's status, if clients get another.
    let receivedStatus: UInt16?
    /// The configuration by which it was judged.
    let effective: EffectiveConfiguration
    /// The response for the request that caused the load; nil: the same as for others.
    let own: LoadedResponse?

    init(
        _ response: LoadedResponse,
        _ judged: JudgedHead,
        selection: [UInt8],
        effective: EffectiveConfiguration,
        receivedStatus: UInt16? = nil,
        own: LoadedResponse? = nil
    ) {
        self.response = response
        storability = judged.storability
        partition = judged.partition
        self.selection = selection
        sharing = judged.sharing
        extent = judged.extent
        self.receivedStatus = receivedStatus
        self.effective = effective
        self.own = own
    }

    /// The same head for a response that is not stored after all.
    init(_ head: ReceivedHead, refused reason: RefusalReason) {
        response = head.response
        storability = .refuse(reason)
        partition = nil
        selection = head.selection
        sharing = head.sharing
        extent = head.extent
        receivedStatus = head.receivedStatus
        effective = head.effective
        own = head.own
    }

    /// Whether a request that waited for the head may share the response.
    func mayShare(with request: ClientRequest, of cause: LoadCause, _ context: ResourceContext) -> Bool {
        switch sharing {
        case .leaderOnly:
            // A part that will be stored may be added to others (C-22.1).
            return cause.hole != nil && extent != nil && isFor(request)
                && context.selection(response.metadata.vary, request.fields) == selection
        case .sameCredential:
            guard cause.request.partitions.credential == request.partitions.credential else { return false }
        case .sameCookies:
            guard cause.request.partitions.own == request.partitions.own else { return false }
        case .everyone:
            break
        }
        return context.selection(response.metadata.vary, request.fields) == selection
    }

    /// The positions of the whole, if it has a known length and will be stored.
    var wholeRange: Range<Int64>? {
        guard extent == nil, partition != nil, response.status == 200, let length = response.contentLength, length > 0
        else { return nil }
        return 0..<length
    }

    private func isFor(_ request: ClientRequest) -> Bool {
        partition.map { request.partitions.rank(of: $0) != nil } ?? false
    }

    /// Whether a request that comes after the head may follow the response, as if it were stored already.
    func mayBeFollowed(by request: ClientRequest, _ context: ResourceContext, _ memo: inout SelectionMemo) -> Bool {
        guard request.profile.mayJoin, extent == nil, let partition, request.partitions.rank(of: partition) != nil
        else {
            return false
        }
        let metadata = response.metadata
        // A later follower would receive each part later than the first client (C-24.5).
        guard !metadata.isIncremental || metadata.isRecordedStream || response.isComplete else { return false }
        return isFresh(for: request, context) && selection == memo.selection(metadata.vary, request.fields, context)
            && response.growing?.acceptsReaders ?? true
    }

    /// Whether it may answer `request` as it stands, although it came before.
    func isFresh(for request: ClientRequest, _ context: ResourceContext) -> Bool {
        let age = response.currentAge(at: context.now)
        guard case .fresh = response.metadata.decision(for: request.directives, ageSeconds: age) else { return false }
        return true
    }
}

/// Keeps the selection key by the names asked for last: a long list of loads is compared without making it anew.
struct SelectionMemo {
    private var last: (vary: VaryNames, selection: [UInt8])?

    mutating func selection(_ vary: VaryNames, _ request: Fields, _ context: ResourceContext) -> [UInt8] {
        if let last, last.vary == vary { return last.selection }
        let selection = context.selection(vary, request)
        last = (vary, selection)
        return selection
    }
}
