import Exchanges
import HTTPCore
import Locking
import Transforms

/// Stands between a resource, which knows originals, and a client where a pipeline may apply: derives what it is told.
final class TransformingDelegate: WaiterDelegate {
    private let client: any WaiterDelegate
    private let rendition: RequestedRendition
    /// Gone, perhaps, when an answer comes that it gave before: the answer counts all the same.
    private weak let resource: Resource?
    private let hash: UInt64
    private let environment: CoreEnvironment
    private let configuration: Configuration
    /// What the resource made of the request; there before it calls.
    private let waiter = Lock<Waiter?>(nil)

    init(
        _ client: any WaiterDelegate,
        _ rendition: RequestedRendition,
        _ resource: Resource,
        _ configuration: Configuration
    ) {
        self.client = client
        self.rendition = rendition
        self.resource = resource
        hash = resource.hash
        environment = resource.core.table.environment
        self.configuration = configuration
    }

    var context: any DeliveryContext { client.context }

    /// The request, made fit for the pipeline, waits here.
    func expect(_ waiter: Waiter) { self.waiter.withLock { $0 = waiter } }

    func waiterDidReceiveInterim(_ head: ResponseHead) { client.waiterDidReceiveInterim(head) }

    func waiterDidReceive(_ answer: CacheResult) {
        guard let waiter = waiter.withLock({ $0.take() }) else { return }
        if let derived = derive(answer, { waiter }) { client.waiterDidReceive(derived) }
    }

    /// What `answer` becomes; nil if the client is told later, by the waiter asked for.
    func derive(_ answer: CacheResult, _ waiter: () -> Waiter) -> CacheResult? {
        switch answer {
        case .stored(let stored, let outcome):
            // What was set here is served as it was set (S-171).
            stored.isLocal ? answer : derive(.stored(stored), outcome, waiter)
        case .following(let loaded, let outcome):
            derive(.loaded(loaded), outcome, waiter)
        case .pass, .failure, .refused:
            answer
        }
    }

    private func derive(
        _ original: OriginalResponse,
        _ outcome: CacheOutcome,
        _ waiter: () -> Waiter
    ) -> CacheResult? {
        guard let plan = rendition.plan(status: original.status, fields: original.fields) else {
            return original.untouched(outcome)
        }
        let renditions = original.renditions
        if case .stored(let stored) = original, let known = renditions.derived(of: stored, rendition.key) {
            known.noteUse()
            return .stored(known, outcome)
        }
        let pending = DerivedContent.PendingRendition(waiter: waiter(), original: original, outcome: outcome)
        while true {
            let (content, isNew, left) = renditions.content(rendition.key) {
                DerivedContent(plan, original, hash, resource, configuration, environment)
            }
            for content in left {
                content.forgo()
                environment.eviction?.didRemove(content)
            }
            if !left.isEmpty { resource?.renditionsDidChange() }
            if isNew { content.start(of: original) }
            pending.waiter.wait(for: content, delegate: client)
            let joining = content.join(pending, isNew: isNew)
            if pending.waiter.hasLeft(content) { return nil }
            switch joining {
            case .answered(let answer):
                // What it follows stays known, so that its leaving counts.
                _ = pending.waiter.takeDelegate()
                return answer
            case .waiting:
                return nil
            case .over:
                continue
            }
        }
    }
}
