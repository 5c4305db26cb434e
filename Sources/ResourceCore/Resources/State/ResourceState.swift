import Configurations
import HTTPCaching
package import HTTPCore
import Locking
package import Outcomes
package import Stores
import Transforms

/// The whole state of a resource, as a value; the resource's lock guards it.
///
/// `Transition` changes it, one event at a time.
package struct ResourceState: Sendable {
    // In this order without gaps: there may be millions of these.

    /// The configuration for GET, by which stored responses were judged; nil until it is needed (S-037, S-045).
    private(set) var effective: EffectiveConfiguration?
    /// The table's configuration generation of `effective`.
    private(set) var generation: UInt64 = 0
    /// The number of the newest load.
    private(set) var lastLoad: UInt64 = 0
    /// The number of the last event.
    package private(set) var sequence: UInt64 = 0
    /// Nil: nothing goes on.
    var activity: Boxed<Activity>?
    package var variants: Variants
    /// Whether a timer is set to recheck remembered outcomes.
    var hasTimer = false
    /// Whether the table keeps the resource, as it was last asked to.
    var isNeeded: Bool

    init(looksUp: Bool, isNeeded: Bool = false) {
        variants = Variants(looksUp: looksUp)
        self.isNeeded = isNeeded
    }

    // MARK: Activity

    /// The activity, to be changed; made on demand.
    var ongoing: Activity {
        get { activity?.value ?? Activity() }
        _modify { yield &activity[orNew: Activity()] }
    }

    package var loads: Loads { activity?.loads ?? Loads() }
    package var outcomes: RememberedOutcomes { activity?.outcomes ?? RememberedOutcomes() }
    var waitingForLookUp: [WaitingRequest] { activity?.waitingForLookUp ?? [] }
    package var error: Boxed<LatestError>? { activity?.error }
    package var isObserved: Bool { activity?.program?.value.isObserved ?? false }

    /// Releases the activity once it is empty.
    mutating func trim() {
        guard activity != nil else { return }
        if let program = activity?.program, program.value.isEmpty { activity?.program = nil }
        if activity?.isEmpty ?? false { activity = nil }
    }

    // MARK: What it is

    /// The partitions of a request without fields.
    package var anonymousPartitions: Partitions { effective?.anonymousPartitions ?? Partitions() }

    /// Whether rules add to the cache key: then not every request may use the shared partition.
    package var isKeyed: Bool { effective.map { !$0.keysAreURIs } ?? false }

    /// Whether there is nothing that a configuration could judge.
    package var isEmpty: Bool {
        variants.isEmpty && activity?.uncacheable == nil && activity?.program?.value.data == nil
    }

    /// Whether there is no data, and nothing goes on.
    var hasEnded: Bool { variants.isEmpty && activity == nil }

    package var isLoading: Bool {
        guard let activity else { return false }
        return activity.loads.records.contains(where: \.isActive) || activity.program?.value.isLoading ?? false
    }

    /// Whether it is loaded, requested, looked up or observed, or is keeping what came of a load.
    ///
    /// Then no flush drops it (S-215).
    var isInUse: Bool {
        if variants.isLooking { return true }
        guard let activity else { return false }
        return !activity.loads.isEmpty || activity.partsToKeep > 0 || activity.program?.value.isInUse ?? false
    }

    /// Whether notices or operations are left; the thread that handles them refers to the resource.
    var isBusy: Bool { activity.map { !$0.notices.isIdle || !$0.operations.isIdle } ?? false }

    /// Whether nothing depends on this object: it may leave the table once no reference is left.
    ///
    /// Only owners of a reference need the error, and what was loaded for programs alone.
    var isIdle: Bool {
        if !variants.isEmpty || isInUse || isBusy { return false }
        guard let activity else { return true }
        return activity.outcomes.isEmpty && activity.program?.data == nil
    }

    /// Why the table would keep it.
    var need: ResourceNeed { isInUse ? .use : !isIdle ? .data : hasEnded ? .nothing : .owner }

    package var latestResponse: StoredResponse? {
        let uncacheable = activity?.uncacheable
        guard !variants.isEmpty, let latest = variants.latest(in: anonymousPartitions.common) else {
            return uncacheable
        }
        return uncacheable.map { $0.receivedAt >= latest.receivedAt ? $0 : latest } ?? latest
    }

    // MARK: Numbers

    package mutating func nextLoad() -> UInt64 {
        lastLoad += 1
        return lastLoad
    }

    mutating func nextEvent() -> UInt64 {
        sequence += 1
        return sequence
    }

    // MARK: Configuration

    /// The configuration for `method`, if it was found out in `generation` or later.
    func configuration(for method: Method, _ generation: UInt64) -> EffectiveConfiguration? {
        if method == .get, self.generation >= generation, let effective { return effective }
        return activity?.configurations.first { $0.method == method && $0.generation >= generation }?.effective
    }

    /// Remembers the configuration for a method; the next event judges stored responses by that for GET.
    mutating func note(_ effective: EffectiveConfiguration, for method: Method, _ generation: UInt64) {
        if method == .get, isEmpty, generation > self.generation || self.effective == nil {
            return adopt(effective, generation)
        }
        ongoing.configurations.removeAll { $0.method == method }
        if ongoing.configurations.count < 8 { ongoing.configurations.append((method, generation, effective)) }
    }

    /// Sets the configuration for GET.
    mutating func adopt(_ effective: EffectiveConfiguration, _ generation: UInt64) {
        self.effective = effective
        self.generation = generation
        activity?.configurations.removeAll { $0.generation < generation || $0.method == .get }
    }

    // MARK: What it shows

    /// The state at this moment.
    package func snapshot(_ id: UInt64, _ uri: TargetURI) -> ResourceSnapshot {
        ResourceSnapshot(
            id: id,
            uri: uri,
            variants: variants.stored,
            sharedHit: variants.sharedHit(effective),
            latestResponse: latestResponse,
            data: activity?.program?.value.data,
            error: error,
            isLoading: isLoading,
            isInvalidated: variants.isInvalidated,
            sequence: sequence,
            generation: generation
        )
    }
}
