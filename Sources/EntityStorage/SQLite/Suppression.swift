import Locking

/// URIs whose rows should be gone and cannot be removed now, as the disk refuses: look-ups do not find them.
final class Suppression: Sendable {
    /// Beyond this many the database is given up instead.
    static let limit = 100_000

    private let uris = Lock<Set<[UInt8]>>([])

    var isEmpty: Bool { uris.withLock { $0.isEmpty } }
    var isFull: Bool { uris.withLock { $0.count >= Suppression.limit } }
    var all: Set<[UInt8]> { uris.withLock { $0 } }

    func contains(_ uri: [UInt8]) -> Bool { uris.withLock { !$0.isEmpty && $0.contains(uri) } }
    func add(_ uri: [UInt8]) { uris.withLock { _ = $0.insert(uri) } }
    func clear() { uris.withLock { $0 = [] } }
}
