package import Exchanges
import HTTPCore

/// What a program keeps of a resource: requests, observers, data of its own.
///
/// A value under the resource's lock, as all of its state; only a resource that a program uses has one. The core owns the
/// protocol and tells it what happens; what is to be done for it goes into the effects.
package protocol ProgramState: Sendable {
    /// Nothing is left of it.
    var isEmpty: Bool { get }
    /// Whether the program requests, loads or observes: then no flush drops the resource (S-215).
    var isInUse: Bool { get }
    /// Whether the program sees the resource load for a reason that the core does not know.
    var isLoading: Bool { get }
    var isObserved: Bool { get }
    /// What the program's own requests, caches or changes brought.
    var data: (any ProgramData)? { get }
    /// The newest load that the program's own requests bring.
    var newestLoad: (number: UInt64, source: any ProgressSource)? { get }
    /// A request of the program's waits until it is known whether a load is needed.
    var awaitsLookUp: Bool { get }

    /// Lets go of observers that are no more; the last one may have gone without a word (S-214).
    mutating func releaseDefunctObservers() -> ProgramChange?
    /// What tells the observers of `change`.
    func notice(of change: ResourceChange) -> (any ProgramNotice)?

    mutating func loadDidBegin(_ load: Load) -> ProgramChange?
    /// A load ends that observers have heard of: they hear of its progress for the last time (S-219).
    mutating func loadWillEnd(_ number: UInt64) -> ProgramChange?
    /// A load over an exchange has ended for these callers.
    mutating func callersDidEnd(_ callers: [any LoadCaller])
    /// The load commits nothing any more: for observers it is over.
    mutating func loadWasDetached(_ number: UInt64) -> ProgramChange?

    /// Other data has taken the place of the program's own, or all data is gone.
    mutating func dropData()
    /// Cancels all of the program's requests, whose results change nothing any more (S-203).
    mutating func cancelRequests() -> ProgramChange?
    /// The resource ends.
    mutating func end() -> ProgramChange?

    /// It is known what caches hold: the request that waited for that goes on.
    static func lookUpDidEnd(_ transition: inout Transition)
}

/// What an event is to a program: what is left to do for it.
package struct ProgramChange {
    package var notices: [any ProgramNotice] = []
    /// Requests that are given up.
    package var cancelled: [any LoadCaller] = []
    package var effects: [any ProgramEffect] = []
    /// What is to be done in the program's caches, in its turn.
    package var operations: [@Sendable (Resource) -> Void] = []
    /// Released under no lock: their end may call back.
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

/// What tells how far a load has come: 0 to 1, or not a number.
package protocol ProgressSource: AnyObject, Sendable {
    var progress: Double { get }
}

/// Data of a program's own.
package protocol ProgramData: AnyObject, Sendable {
    /// When it came, or was last confirmed.
    var timestamp: Timestamp { get }
}

/// What is to be done for a program, under no lock, once observers were told.
package protocol ProgramEffect: Sendable {
    func carryOut(on resource: Resource)
}

/// Something that a program's observers are to be told, in its turn.
package protocol ProgramNotice: Sendable {
    func deliver(for resource: Resource)
}

/// What a program adds to its service: loads are its own requests then, not exchanges.
package protocol ProgramService: AnyObject, Sendable {
    /// Looks up what caches keep of `resource`, and ends the look-up with this number.
    func lookUp(_ number: UInt32, for resource: Resource)
    /// Removes what caches keep of `resource`.
    func removeCopies(of resource: Resource, then completion: @escaping @Sendable () -> Void)
}

/// Whoever awaits the end of a load, without following its response.
package protocol LoadCaller: AnyObject, Sendable {
    /// From now on this load brings the result.
    func follow(_ load: Load)
    /// Called once, under no lock, behind what observers are told (S-124).
    func loadDidEnd(_ outcome: LoadOutcome)
    /// Gives up: the resource ends, or drops what it loads.
    func cancel()
}

/// How a load ended, for those who did not follow its response.
public enum LoadOutcome: Sendable {
    /// The response; nil if it was too large to be kept.
    case newData(StoredResponse?)
    case notModified(StoredResponse)
    case failure(ResourceError)
    case cancelled
}
