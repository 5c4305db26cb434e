import Locking

/// The directory a store has now, another one after it was replaced or deleted; safe from any thread.
final class CurrentDirectory: Sendable {
    private let current: Lock<StoreDirectory>

    init(_ directory: StoreDirectory) { current = Lock(directory) }

    var value: StoreDirectory { current.withLock { $0 } }

    func replace(_ directory: StoreDirectory) { current.withLock { $0 = directory } }
}
