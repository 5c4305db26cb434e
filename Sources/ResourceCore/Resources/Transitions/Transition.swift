package import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import Locking
package import Outcomes

/// One event of a resource, under its lock: changes the state, and collects the effects.
///
/// It asks each part of the state what the event means, and calls nothing back.
package struct Transition {
    package let resource: Resource
    /// Whether the whole table has a subscriber.
    let isWatched: Bool
    /// The state, moved here during the event, with the context.
    var decider: Decider
    var effects = Effects()

    init(_ resource: Resource, _ context: consuming ResourceContext) {
        self.resource = resource
        isWatched = resource.core.table.isWatched
        decider = Decider(state: ResourceState(looksUp: false), context: context)
    }

    package var state: ResourceState {
        _read { yield decider.state }
        _modify { yield &decider.state }
    }
    package var context: ResourceContext {
        _read { yield decider.context }
        _modify { yield &decider.context }
    }
    package var variants: Variants {
        _read { yield decider.state.variants }
        _modify { yield &decider.state.variants }
    }
    package var configuration: Configuration { decider.context.configuration }
    /// Finds the resource without keeping it alive.
    var link: ResourceLink { ResourceLink(resource) }

    // MARK: Beginning and end

    /// Judges stored responses by the newest configuration that the state or the context has.
    mutating func begin() {
        if context.generation <= state.generation, let newer = state.effective {
            if newer !== context.effective { context = context.by(newer) }
            return
        }
        let former = state.effective
        state.adopt(context.effective, context.generation)
        if state.isEmpty { return }
        show()
        if former === context.effective { return }
        let uncacheable = state.activity?.uncacheable.map { $0.judged(context) }
        if let uncacheable { state.activity?.uncacheable = uncacheable }
        let result = variants.judge(context, keepsMark: uncacheable != nil)
        effects.left += result.left
        effects.entered += result.entered
        for response in result.removed { effects.removeFromStore(response) }
    }

    /// Puts notices and operations into their queues.
    mutating func end() {
        if !effects.notices.isEmpty { state.ongoing.notices.append(effects.notices) }
        if !effects.operations.isEmpty { state.ongoing.operations.append(effects.operations) }
        decider.state.trim()
        if decider.state.isNeeded != resource.core.table.isNeeded(decider.state.need) { effects.updatesTable = true }
    }

    // MARK: What it shows

    /// The table must see the shared hit, which may be another one.
    ///
    /// What the resource needs of the table is compared at the end of each transition.
    package mutating func show() { effects.updatesTable = true }

    /// Reports an event; the state must show it already (S-209).
    package mutating func emit(_ event: ResourceEvent) {
        let sequence = state.nextEvent()
        show()
        releaseDefunctObservers()
        guard isWatched || state.isObserved else { return }
        let change = ResourceChange(sequence: sequence, event: event, state: state.snapshot(resource.id, resource.uri))
        let notice = state.activity?.program?.value.notice(of: change)
        effects.notices.append(PendingNotice(change: change, program: notice))
    }

    /// Reports an event that by itself changes nothing of what the table shows.
    package mutating func emitActivity(_ event: ResourceEvent) {
        if isWatched || state.isObserved { emit(event) } else { _ = state.nextEvent() }
    }

    // MARK: Stored responses

    /// Replaces the response with the same partition and selection, or adds `response`.
    mutating func insert(_ response: StoredResponse) {
        if response.isTagged { state.noteTags(of: response.fields, in: resource) }
        let result = variants.insert(response, limit: configuration.variantLimit)
        if let replaced = result.replaced { effects.left.append(replaced) }
        effects.entered.append(response)
        effects.evict(result.evicted)
        show()
    }

    /// Removes `response` from memory and store.
    mutating func remove(_ response: StoredResponse) {
        guard let removed = variants.remove(response) else { return }
        effects.left.append(removed)
        show()
        effects.removeFromStore(response)
    }

    // MARK: What is remembered

    /// A load failed: a request that would repeat it gets the failure for a while.
    mutating func remember(_ error: ResourceError, of cause: LoadCause, pause: Duration? = nil) {
        state.ongoing.outcomes.remember(error, of: cause, pause: pause, context)
        effects.recheckAfter = max(configuration.retryTime, pause ?? .zero)
    }

    /// A load succeeded: forgets failures like those that it ended, and a program's own data.
    mutating func succeed(_ cause: LoadCause) {
        state.activity?.error = nil
        state.activity?.value.program?.value.dropData()
        decider.state.activity?.outcomes.forget(cause, decider.context)
    }

    /// A load failed: the resource shows that.
    package mutating func show(_ error: LatestError) {
        state.ongoing.error = Boxed(error)
        emit(.error)
    }
}
