import Synchronization

/// Whether rows of the open database are still to be reviewed, as they were stored by an earlier version or under other
/// settings; safe from any thread.
///
/// Until it is known, and while the review is under way, what is asked for is reviewed before it is read.
final class Review: Sendable {
    private let isPending = Atomic(true)

    var isUnderWay: Bool {
        get { isPending.load(ordering: .acquiring) }
        set { isPending.store(newValue, ordering: .releasing) }
    }
}
