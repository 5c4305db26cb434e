import Locking
import Transforms

/// Responses that had to leave memory, and their resources, let go of many at once, by a thread that stores none.
///
/// The allocator keeps what a thread frees for what that thread asks for next. A loop that lets one response go for each
/// that it stores would put the new one, piece by piece, where the old one was; once contents have become larger, each
/// such piece holds a page of memory that could be given back.
final class DeferredRelease: Sendable {
    /// So many go at once, or as many as take so many bytes.
    private static let (count, bytes) = (32, 256 << 10)

    /// What goes: a response, and the resource that had it, unless that has ended.
    private typealias Released = (stored: StoredResponse, resource: Resource?)

    private struct State {
        private var waiting: [Released] = []
        private var bytes = 0
        /// Those a thread was asked to let go, and has not.
        private var leaving: [Released] = []

        /// Whether a thread must be asked to let some go; else those that are to go now, if any.
        mutating func add(_ one: Released, _ cost: Int) -> (asks: Bool, due: [Released]) {
            waiting.append(one)
            bytes += cost
            guard waiting.count >= DeferredRelease.count || bytes >= DeferredRelease.bytes else { return (false, []) }
            // What may not wait goes here and now: there is one lot before it already.
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

    /// - Parameter workers: nil: responses go as soon as nobody else holds them.
    init(_ workers: (any TransformWorkers)?) { self.workers = workers }

    /// - Parameter resource: whose response it was; it stays what its URI means until it goes.
    func add(_ stored: StoredResponse, of resource: Resource?) {
        // Open files are counted: these wait for nobody.
        guard let workers, !stored.holdsDescriptor else { return }
        let cost = stored.cost
        let due = state.withLock { $0.add((stored, resource), cost) }
        if due.asks, !workers.submit({ [self] in release() }) { release() }
    }

    /// Lets go of everything at once: who asks for the resources there are is not told of those that wait here.
    func releaseAll() { _ = state.withLock { $0.takeAll() } }

    /// What leaves ends here, outside of the lock.
    private func release() { _ = state.withLock { $0.takeLeaving() } }
}
