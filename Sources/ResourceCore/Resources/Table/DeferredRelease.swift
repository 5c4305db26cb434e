import Locking
import Transforms

/// Releases responses that leave memory, and their resources, in batches on a thread that stores none.
///
/// The allocator reuses what a thread frees for the next requests of that thread. A loop that releases one response for
/// each that it stores would put each new one in pieces where the old one was. Once contents are larger, every piece
/// keeps a page of memory that could be returned.
final class DeferredRelease: Sendable {
    /// A batch has so many responses, or so many bytes.
    private static let (count, bytes) = (32, 256 << 10)

    /// A response, and its resource unless that has ended.
    private typealias Released = (stored: StoredResponse, resource: Resource?)

    private struct State {
        private var waiting: [Released] = []
        private var bytes = 0
        /// The batch that a thread was asked to release.
        private var leaving: [Released] = []

        /// Returns whether the release thread must be woken, or the entries to release at once.
        mutating func add(_ one: Released, _ cost: Int) -> (asks: Bool, due: [Released]) {
            waiting.append(one)
            bytes += cost
            guard waiting.count >= DeferredRelease.count || bytes >= DeferredRelease.bytes else { return (false, []) }
            // One batch already waits for the thread: this one is released here.
            guard leaving.isEmpty else { return (false, takeWaiting()) }
            leaving = takeWaiting()
            return (true, [])
        }

        mutating func takeLeaving() -> [Released] {
            defer { leaving = [] }
            return leaving
        }

        private mutating func takeWaiting() -> [Released] {
            defer {
                waiting = []
                bytes = 0
            }
            return waiting
        }

        mutating func takeAll() -> [Released] { takeLeaving() + takeWaiting() }
    }

    private let workers: (any TransformWorkers)?
    private let state = Lock(State())

    /// - Parameter workers: nil: responses are released at once.
    init(_ workers: (any TransformWorkers)?) { self.workers = workers }

    /// - Parameter resource: the response's; it stays reachable by its URI until it is released.
    func add(_ stored: StoredResponse, of resource: Resource?) {
        // Open files are counted: they are released at once.
        guard let workers, stored.descriptorCount == 0 else { return }
        let cost = stored.cost
        let due = state.withLock { $0.add((stored, resource), cost) }
        if due.asks, !workers.submit({ [self] in release() }) { release() }
    }

    /// Releases everything at once, so that listings of resources do not contain what waits here.
    func releaseAll() { _ = state.withLock { $0.takeAll() } }

    /// Releases the batch outside of the lock.
    private func release() { _ = state.withLock { $0.takeLeaving() } }
}
