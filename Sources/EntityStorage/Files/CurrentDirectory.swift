import Locking

/// The present directory of a store; it changes when that is replaced or deleted.
///
/// Safe from any thread.
final class CurrentDirectory: Sendable {
    private let current: Lock<StoreDirectory>

    init(_ directory: StoreDirectory) { current = Lock(directory) }

    var value: StoreDirectory { current.withLock { $0 } }

    func replace(_ directory: StoreDirectory) { current.withLock { $0 = directory } }
}
