import Exchanges
import HTTPCaching
public import HTTPCore
import Locking
import Transforms

/// Responses to POST that represent their target (RFC 9110 §9.3.3): they answer later GET and HEAD (C-9.1).
extension Resource {
    /// Changes whenever the data was replaced, dropped or marked, or tags were purged; read it before a POST is sent.
    package var changeCount: UInt64 {
        state.withLock { UInt64($0.variants.changeCount) } | tags.purgeCount << 32
    }

    /// Marks what a POST has changed, and stores its response if that represents this resource.
    ///
    /// Stores nothing if the data has changed since the POST was sent: the change may be newer. Commits only if nothing
    /// changes the data while content comes; no request follows the response before.
    ///
    /// - Parameters:
    ///   - head: of the response.
    ///   - request: the POST; its arrival is the time it was sent.
    ///   - changeCount: that of this resource when the POST was sent.
    ///   - marked: called as by `invalidate`, if something is to be stored.
    /// - Returns: the sink for the content; nil if nothing is to be stored: then nothing was marked.
    package func acceptPost(
        _ head: ResponseHead,
        for request: ClientRequest,
        sentAt changeCount: UInt64,
        marked: @escaping @Sendable (Bool) -> Void = { _ in }
    ) -> PostedContent? {
        let context = context
        let limit = context.configuration.body.maximumMemoryObject
        guard head.contentLength.map({ $0 <= limit }) ?? true, isStorable(head, request, context) else {
            return nil
        }
        let load = perform(context) { transition in
            let tagPurges = tags.purgeCount << 32
            guard UInt64(transition.variants.changeCount) | tagPurges == changeCount else { return Load?.none }
            transition.invalidate(marked)
            var keyed = request
            keyed.partitions = request.partitions.keyed(
                transition.configuration.caching,
                request.fields,
                environment.hasher
            )
            return transition.beginPost(keyed)
        }
        guard let load else { return nil }
        let content = PostedContent(load, self, limit: limit)
        load.exchangeDidReceive(head)
        return content
    }

    private func isStorable(_ head: ResponseHead, _ request: ClientRequest, _ context: ResourceContext) -> Bool {
        let fields = StoredFields.storing(head.fields)
        let metadata = ResponseMetadata(
            status: head.status,
            fields: fields,
            requestTime: context.wallNow,
            responseTime: context.wallNow,
            options: context.configuration.caching
        )
        let storability = metadata.storabilityOfPost(
            to: uri,
            fields: fields,
            request: request.profile,
            options: context.configuration.caching
        )
        // Only the content of loads is redacted before it is stored.
        return storability.partition != nil && !context.configuration.pipeline.redacts
    }

    func abandonPost(_ load: Load) {
        perform { transition in
            transition.end(load.number) { transition, record in
                transition.effects.extra.cancelledLoads.append(record.load)
            }
        }
    }
}

/// Stores the content of a response to POST on its way to the client.
///
/// Called by one thread at a time. If released before its end, it stores nothing.
public final class PostedContent: Sendable {
    private let load: Load
    private let resource: Resource
    /// The most bytes that are stored; a longer response is not, since nobody waits for the store.
    private let limit: Int64
    private let progress = Lock<(received: Int64, isOver: Bool)>((0, false))

    init(_ load: Load, _ resource: Resource, limit: Int64) {
        self.load = load
        self.resource = resource
        self.limit = limit
    }

    deinit { abandon() }

    public func append(_ chunk: ByteChunk) {
        let (isOver, isTooLong) = progress.withLock { progress in
            progress.received += Int64(chunk.count)
            return (progress.isOver, progress.received > limit)
        }
        if isOver { return }
        if isTooLong { abandon() } else { load.exchangeDidReceive(chunk) }
    }

    /// All of the content has come: it is stored now.
    public func finish(trailers: Fields?) { if ends() { load.exchangeDidEnd(trailers: trailers) } }

    /// The rest will not come.
    public func abandon() { if ends() { resource.abandonPost(load) } }

    private func ends() -> Bool {
        progress.withLock { progress in
            defer { progress.isOver = true }
            return !progress.isOver
        }
    }
}

extension Transition {
    /// Begins a load for the response to a POST; it has no exchange of its own.
    fileprivate mutating func beginPost(_ request: ClientRequest) -> Load {
        let load = Load(
            number: state.nextLoad(),
            sentAt: request.arrival,
            request: OriginRequest(method: .post, uri: context.uri, fields: Fields()),
            owner: link,
            provider: request.provider
        )
        let cause = LoadCause(
            LoadPlan(forward: .method, isHitForMiss: true),
            request: request,
            sentAt: request.arrival,
            isBackground: true,
            isPost: true,
            vary: VaryNames(Fields())
        )
        state.ongoing.loads.begin(LoadRecord(load, cause, purgeCount: resource.tags.purgeCount))
        return load
    }
}
