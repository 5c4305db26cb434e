import Exchanges
import HTTPCore
import Locking
import Platform
import SharedStorage

/// Keeps how far this node has followed the purges of others, beside the store.
///
/// It writes a second later, since each write waits for the disk. After a crash the node makes the latest changes once
/// more.
final class PositionFile: Sendable {
    private let path: String
    private let timekeeper: any Timekeeper
    private let waiting = Lock<KnownPurges.Position?>(nil)

    init(_ path: String, _ timekeeper: any Timekeeper) { (self.path, self.timekeeper) = (path, timekeeper) }

    /// Nil: there is none, or it cannot be read.
    func read() -> KnownPurges.Position? {
        guard let bytes = try? SmallFile.read(path, limit: 256) else { return nil }
        return KnownPurges.Position(String(decoding: bytes, as: UTF8.self))
    }

    func save(_ position: KnownPurges.Position) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting = position }
            return waiting == nil
        }
        if isFirst { _ = timekeeper.after(.seconds(1)) { [self] in write() } }
    }

    private func write() {
        guard let position = waiting.withLock({ $0.take() }) else { return }
        // Without the file, the next start has all that is stored validated.
        try? SecretFile.replace(path, with: Array(position.text.utf8))
    }
}
