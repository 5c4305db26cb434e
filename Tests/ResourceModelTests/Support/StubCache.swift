import ResourceDoubles
import Exchanges
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles

/// A cache in memory whose work is done when the test says so.
final class StubCache: EntityCache {
    enum Fault: Error { case broken }

    let entities = LockedBox<[String: Entity<any Sendable>]>([:])
    /// What was asked, in order.
    let calls = LockedBox<[String]>([])
    let workQueue: CacheQueue
    private let hasKeys: Bool
    private let isBroken: Bool

    init(_ jobs: StubCacheJobs, hasKeys: Bool = true, isBroken: Bool = false) {
        self.hasKeys = hasKeys
        self.isBroken = isBroken
        workQueue = CacheQueue { jobs.queue.submit($0) }
    }

    func key(for resource: Resource) -> String? { hasKeys ? resource.uri.text : nil }

    func readEntity(forKey key: String) throws -> Entity<any Sendable>? {
        try note("read")
        return entities.value[key]
    }

    func writeEntity(_ entity: Entity<any Sendable>, forKey key: String) throws {
        try note("write")
        entities.change { $0[key] = entity }
    }

    func updateEntityTimestamp(_ timestamp: Timestamp, forKey key: String) throws {
        try note("touch")
        entities.change { $0[key]?.timestamp = timestamp }
    }

    func removeEntity(forKey key: String) throws {
        try note("remove")
        entities.change { $0[key] = nil }
    }

    private func note(_ call: String) throws {
        calls.change { $0.append(call) }
        if isBroken { throw Fault.broken }
    }

    /// The content for a path.
    func text(_ path: String = "/a") -> String? { entities.value[World.uri(path).text]?.plainText }

    func put(_ text: String, at timestamp: Timestamp, _ path: String = "/a", headers: [String: String] = [:]) {
        let entity = Entity<any Sendable>(content: Array(text.utf8), headers: headers, timestamp: timestamp)
        entities.change { $0[World.uri(path).text] = entity }
    }
}

/// The work of all caches of a test.
struct StubCacheJobs: Sendable {
    let queue = ManualContext()
}

/// Appends a tag to content, and counts how often.
struct Tagging: ResponseTransformer {
    let tag: String
    let count = LockedBox(0)

    func process(_ response: Response) -> Response {
        guard case .success(let entity) = response else { return response }
        count.change { $0 += 1 }
        return .success(entity.withContent((entity.plainText ?? "") + tag))
    }
}
