import HTTPCore
import Locking
import ResourceCore
import ResourceModel
import TestDoubles

/// An entity cache in memory that notes what it is asked.
final class RecordingCache: EntityCache {
    private struct State {
        var entities: [String: Entity<any Sendable>] = [:]
        var calls: [String] = []
        var failure: (any Error)?
    }

    struct Broken: Error {}

    private let state = Lock(State())
    let workQueue: CacheQueue
    private let prefix: String?

    /// - Parameter prefix: of its keys; nil: it has nothing to do with any resource.
    init(_ prefix: String? = "", on context: ManualContext? = nil) {
        self.prefix = prefix
        workQueue = context.map { context in CacheQueue { context.submit($0) } } ?? .background
    }

    /// What it keeps, by path.
    var entities: [String: Entity<any Sendable>] {
        get { state.withLock { $0.entities } }
        set { state.withLock { $0.entities = newValue } }
    }
    /// What it was asked, in order.
    var calls: [String] { state.withLock { $0.calls } }
    /// Throws at everything.
    var isBroken: Bool {
        get { state.withLock { $0.failure != nil } }
        set { state.withLock { $0.failure = newValue ? Broken() : nil } }
    }

    func key(for resource: Resource) -> String? {
        prefix.map { $0 + String(decoding: resource.uri.path, as: UTF8.self) }
    }

    func readEntity(forKey key: String) throws -> Entity<any Sendable>? {
        try perform("read \(key)") { $0.entities[key] }
    }

    func writeEntity(_ entity: Entity<any Sendable>, forKey key: String) throws {
        try perform("write \(key)") { $0.entities[key] = entity }
    }

    func removeEntity(forKey key: String) throws { try perform("remove \(key)") { $0.entities[key] = nil } }

    private func perform<R>(_ call: String, _ body: (inout State) -> R) throws -> R {
        try state.withLock { state in
            state.calls.append(call)
            if let failure = state.failure { throw failure }
            return body(&state)
        }
    }
}
