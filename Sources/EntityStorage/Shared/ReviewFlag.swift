import Synchronization

/// Whether rows of the open database may still need a review; safe from any thread.
///
/// An earlier version may have stored them, or other settings may have held then. While the flag is set, the writer
/// reviews the rows of a URI before they are read. It is set from the start, until the writer knows better.
final class ReviewFlag: Sendable {
    private let isSet = Atomic(true)

    var isUnderWay: Bool {
        get { isSet.load(ordering: .acquiring) }
        set { isSet.store(newValue, ordering: .releasing) }
    }
}
