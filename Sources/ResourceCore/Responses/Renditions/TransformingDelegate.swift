import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import Locking
import Outcomes
import Transforms

/// Stands between a resource, which returns originals, and a client that gets renditions of them.
final class TransformingDelegate: WaiterDelegate {
    private let client: any WaiterDelegate
    private let rendition: RequestedRendition
    /// Weak: a result that the resource gave counts even after the resource has ended.
    private weak let owner: (any RenditionDelegate)?
    private let hash: UInt64
    private let environment: CoreEnvironment
    private let configuration: Configuration
    /// The waiter of the request; set before the resource calls.
    private let waiter = Lock<Waiter?>(nil)

    init(
        _ client: any WaiterDelegate,
        _ rendition: RequestedRendition,
        _ owner: any RenditionDelegate,
        _ configuration: Configuration
    ) {
        self.client = client
        self.rendition = rendition
        self.owner = owner
        hash = owner.hash
        environment = owner.environment
        self.configuration = configuration
    }

    var context: any DeliveryContext { client.context }

    /// Sets the waiter of the prepared request.
    func expect(_ waiter: Waiter) { self.waiter.withLock { $0 = waiter } }

    func waiterDidReceiveInterim(_ head: ResponseHead) { client.waiterDidReceiveInterim(head) }

    func waiterDidReceive(_ result: CacheResult) {
        guard let waiter = waiter.withLock({ $0.take() }) else { return }
        if let derived = derive(result, { waiter }) { client.waiterDidReceive(derived) }
    }

    /// Derives the client's result from `result`; nil if it comes later, to `waiter`.
    func derive(_ result: CacheResult, _ waiter: () -> Waiter) -> CacheResult? {
        switch result {
        case .stored(let stored, let outcome):
            // A local override is served as it was set (S-171).
            stored.isLocal ? result : derive(.stored(stored), outcome, waiter)
        case .following(let loaded, let outcome):
            derive(.loaded(loaded), outcome, waiter)
        case .assembling, .pass, .failure, .refused:
            result
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
                DerivedContent(plan, original, hash, owner, configuration, environment)
            }
            for content in left {
                content.forgoStore()
                environment.eviction?.didRemove(content)
            }
            if !left.isEmpty { owner?.renditionsDidChange() }
            if isNew { content.start(of: original) }
            pending.waiter.wait(for: content, delegate: client)
            let joining = content.join(pending, isNew: isNew)
            if pending.waiter.hasLeft(content) { return nil }
            switch joining {
            case .answered(let result):
                // The waiter keeps its content, so that its leaving counts.
                _ = pending.waiter.takeDelegate()
                return result
            case .waiting:
                return nil
            case .over:
                continue
            }
        }
    }
}

extension RequestedRendition {
    /// The steps that may apply to a response with this head; nil if none does and the response stays as it is.
    func plan(status: UInt16, fields: Fields) -> PipelinePlan? {
        let isForbidden = CacheControl(fields).flags.contains(.noTransform)
        return plan(status: status, fields: fields, forbidsTransforming: isForbidden)
    }
}
