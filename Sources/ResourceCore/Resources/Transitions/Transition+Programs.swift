import HTTPCore
import Locking

/// What `ResourceModel` does during an event, besides calling the core's own events.
extension Transition {
    /// Adds what an event leaves to do for a program.
    package mutating func add(_ change: ProgramChange?) {
        guard let change else { return }
        effects.notices += change.notices.map { PendingNotice(program: $0) }
        effects.extra.cancelledCallers += change.cancelled
        effects.extra.program += change.effects
        for work in change.operations { effects.operations.append(.program(work)) }
        effects.extra.released += change.released
    }

    /// Removes observers that no longer exist.
    package mutating func releaseDefunctObservers() {
        add(state.activity?.value.program?.value.releaseDefunctObservers())
    }

    /// `event` with the present state, for one observer alone.
    package func change(_ event: ResourceEvent) -> ResourceChange {
        ResourceChange(sequence: state.sequence, event: event, state: state.snapshot(resource.id, resource.uri))
    }

    /// Changes notices that are not delivered yet.
    package mutating func updateNotices(_ body: (inout any ProgramNotice) -> Void) {
        func update(_ pending: inout PendingNotice) {
            guard var notice = pending.program else { return }
            body(&notice)
            pending.program = notice
        }
        state.activity?.notices.update(update)
        for index in effects.notices.indices { update(&effects.notices[index]) }
    }

    /// A program's own data replaces all responses in memory.
    package mutating func dropResponses() {
        effects.left += variants.takeAll()
        state.activity?.uncacheable = nil
    }
}

extension ResourceState {
    /// The program's state of the resource.
    package var program: (any ProgramState)? {
        get { activity?.program?.value }
        set { ongoing.program = newValue.map { Boxed($0) } }
    }

    /// The same, moved out: the caller changes it in place, and puts it back.
    package mutating func takeProgram() -> (any ProgramState)? { activity?.program.take()?.value }
}
