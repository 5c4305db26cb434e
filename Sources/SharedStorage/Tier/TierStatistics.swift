import Locking
import Synchronization

/// What the shared tier did since the start.
public final class TierStatistics: Sendable {
    private let hitCount = Atomic<Int>(0)
    private let missCount = Atomic<Int>(0)
    private let failureCount = Atomic<Int>(0)
    private let brokenCount = Atomic<Int>(0)
    private let foreignCount = Atomic<Int>(0)
    private let storedCount = Atomic<Int>(0)
    private let refusedCount = Atomic<Int>(0)
    private let skippedCount = Atomic<Int>(0)
    private let waitCount = Atomic<Int>(0)
    private let heldCount = Atomic<Int>(0)
    private let leaseCount = Atomic<Int>(0)
    private let lostCount = Atomic<Int>(0)
    private let announcementCount = Atomic<Int>(0)
    private let purgeCount = Atomic<Int>(0)
    private let foreignPurgeCount = Atomic<Int>(0)
    private let resetCount = Atomic<Int>(0)
    private let follows = Atomic<Bool>(false)
    private let latestFailure = Lock<String?>(nil)

    /// Look-ups that found a response, found none, or got no answer in time.
    public var hits: Int { hitCount.load(ordering: .relaxed) }
    public var misses: Int { missCount.load(ordering: .relaxed) }
    public var failures: Int { failureCount.load(ordering: .relaxed) }
    /// Look-ups that were not made because the server is slow or down.
    public var skipped: Int { skippedCount.load(ordering: .relaxed) }
    /// Values that were damaged, and values of another format.
    public var broken: Int { brokenCount.load(ordering: .relaxed) }
    public var foreign: Int { foreignCount.load(ordering: .relaxed) }
    /// Responses that were stored, and responses that the server did not accept.
    public var stored: Int { storedCount.load(ordering: .relaxed) }
    public var refused: Int { refusedCount.load(ordering: .relaxed) }
    /// Look-ups that waited for the load of another node.
    public var waits: Int { waitCount.load(ordering: .relaxed) }
    /// Leases acquired, leases held now, and leases that the server lost while they were held.
    public var leases: Int { leaseCount.load(ordering: .relaxed) }
    public var heldLeases: Int { heldCount.load(ordering: .relaxed) }
    public var lostLeases: Int { lostCount.load(ordering: .relaxed) }
    /// Purges of this node, purges of other nodes, and purges that it could not read.
    public var announcements: Int { announcementCount.load(ordering: .relaxed) }
    public var purges: Int { purgeCount.load(ordering: .relaxed) }
    public var foreignPurges: Int { foreignPurgeCount.load(ordering: .relaxed) }
    /// How often a purge of others may have been missed, so that all had to be validated.
    public var resets: Int { resetCount.load(ordering: .relaxed) }
    /// Whether this node now follows the purges of others.
    public var isFollowing: Bool { follows.load(ordering: .relaxed) }
    /// Why the server was of no use lately; nil while it is.
    public var fault: String? { latestFailure.withLock { $0 } }

    func noteHit() { hitCount.wrappingAdd(1, ordering: .relaxed) }
    func noteMiss() { missCount.wrappingAdd(1, ordering: .relaxed) }
    func noteSkipped() { skippedCount.wrappingAdd(1, ordering: .relaxed) }
    func noteStored() { storedCount.wrappingAdd(1, ordering: .relaxed) }
    func noteRefused() { refusedCount.wrappingAdd(1, ordering: .relaxed) }

    func noteAnnouncement() { announcementCount.wrappingAdd(1, ordering: .relaxed) }
    func notePurge() { purgeCount.wrappingAdd(1, ordering: .relaxed) }
    func noteForeignPurge() { foreignPurgeCount.wrappingAdd(1, ordering: .relaxed) }
    func noteReset() { resetCount.wrappingAdd(1, ordering: .relaxed) }
    func noteFollowing(_ isFollowing: Bool) { follows.store(isFollowing, ordering: .relaxed) }
    func noteWait() { waitCount.wrappingAdd(1, ordering: .relaxed) }
    func noteLostLease() { lostCount.wrappingAdd(1, ordering: .relaxed) }

    /// A lease was taken, or ends.
    func noteLease(isHeld: Bool) {
        heldCount.wrappingAdd(isHeld ? 1 : -1, ordering: .relaxed)
        if isHeld { leaseCount.wrappingAdd(1, ordering: .relaxed) }
    }

    func noteFailure() { failureCount.wrappingAdd(1, ordering: .relaxed) }

    func note(_ faults: [RecordFault]) {
        for fault in faults {
            switch fault {
            case .broken: brokenCount.wrappingAdd(1, ordering: .relaxed)
            case .foreign: foreignCount.wrappingAdd(1, ordering: .relaxed)
            }
        }
    }

    /// Notes why the server is of no use, nil if it is of use; returns whether that is new.
    func note(fault: String?) -> Bool {
        latestFailure.withLock { latest in
            defer { latest = fault }
            return latest != fault
        }
    }
}
