import Synchronization

/// Whether rows of the open database may still need a review; safe from any thread.
///
/// An earlier version may have stored them, or they were stored under other settings. While the flag is set, the writer
/// reviews the rows of a URI before they are read. It is set from the start, until the writer has checked.
final class ReviewFlag: Sendable {
    private let isSet = Atomic(true)

    var isUnderWay: Bool {
        get { isSet.load(ordering: .acquiring) }
        set { isSet.store(newValue, ordering: .releasing) }
    }
}
