/// A program's state of a resource: its requests, observers and own data.
///
/// A value under the resource's lock; only a resource that a program uses has one. The core owns the protocol and
/// reports events to it; what they leave to do goes into the effects.
package protocol ProgramState: Sendable {
    /// Whether nothing is left of it.
    var isEmpty: Bool { get }
    /// Whether the program requests, loads or observes: then no flush drops the resource (S-215).
    var isInUse: Bool { get }
    /// Whether the program sees a load that the core does not know.
    var isLoading: Bool { get }
    var isObserved: Bool { get }
    /// Data from the program's own requests, caches or changes.
    var data: (any ProgramData)? { get }
    /// The newest load of the program's own requests.
    var newestLoad: (number: UInt64, source: any ProgressSource)? { get }
    /// Whether a request of the program waits for the look-up.
    var awaitsLookUp: Bool { get }

    /// Removes observers that no longer exist; the last one may have ended without notice (S-214).
    mutating func releaseDefunctObservers() -> ProgramChange?
    /// The notice that reports `change` to observers.
    func notice(of change: ResourceChange) -> (any ProgramNotice)?

    mutating func loadDidBegin(_ load: Load) -> ProgramChange?
    /// A load that observers know ends: they see its progress for the last time (S-219).
    mutating func loadWillEnd(_ number: UInt64) -> ProgramChange?
    /// A load over an exchange has ended for these callers.
    mutating func callersDidEnd(_ callers: [any LoadCaller])
    /// The load commits nothing any more; observers see it as ended.
    mutating func loadWasDetached(_ number: UInt64) -> ProgramChange?

    /// Other data has replaced the program's own, or all data is gone.
    mutating func dropData()
    /// Cancels all of the program's requests, whose results change nothing any more (S-203).
    mutating func cancelRequests() -> ProgramChange?
    /// The resource ends.
    mutating func end() -> ProgramChange?

    /// The look-up in caches has ended: the request that waited for it continues.
    static func lookUpDidEnd(_ transition: inout Transition)
}

/// What an event leaves to do for a program.
package struct ProgramChange {
    package var notices: [any ProgramNotice] = []
    /// Requests to cancel.
    package var cancelled: [any LoadCaller] = []
    package var effects: [any ProgramEffect] = []
    /// Operations in the program's caches, in order.
    package var operations: [@Sendable (Resource) -> Void] = []
    /// Objects to release under no lock: their end may call back.
    package var released: [any Sendable] = []

    package init(
        notices: [any ProgramNotice] = [],
        cancelled: [any LoadCaller] = [],
        effects: [any ProgramEffect] = [],
        operations: [@Sendable (Resource) -> Void] = [],
        released: [any Sendable] = []
    ) {
        self.notices = notices
        self.cancelled = cancelled
        self.effects = effects
        self.operations = operations
        self.released = released
    }
}

/// An effect for a program; carried out under no lock, after observers were notified.
package protocol ProgramEffect: Sendable {
    func carryOut(on resource: Resource)
}

/// A notice for a program's observers; delivered in order.
package protocol ProgramNotice: Sendable {
    func deliver(for resource: Resource)
}

/// A program's additions to its service: loads are then its own requests, not exchanges.
package protocol ProgramService: AnyObject, Sendable {
    /// Looks up the copies of `resource` in caches, and ends the look-up with this number.
    func lookUp(_ number: UInt32, for resource: Resource)
    /// The operation that removes the copies of a resource from caches; called under the lock of that resource.
    func removal(then completion: @escaping @Sendable () -> Void) -> @Sendable (Resource) -> Void
}
