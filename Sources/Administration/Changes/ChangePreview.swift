import Formats
import HTTPCore
import Locking
import ResourceCore

/// What a change would do: how many resources it is about, and which are the first of them.
///
/// It changes nothing.
final class ChangePreview: Sendable {
    /// The most resources that are named.
    static let limit = 20

    /// The resources that a change would be about.
    struct Result: Sendable {
        fileprivate(set) var seen: Set<TargetURI> = []
        fileprivate(set) var first: [TargetURI] = []

        fileprivate mutating func add(_ uri: TargetURI) {
            guard seen.insert(uri).inserted, first.count < ChangePreview.limit else { return }
            first.append(uri)
        }

        func write(to writer: inout JSONWriter) {
            writer.member("dryRun", true)
            writer.member("resources", seen.count)
            writer.memberArray("first") { writer in for uri in first { writer.text(bytes: uri.bytes) } }
        }
    }

    private let source: AdminSource
    /// Whether the change is also about what is only in the store.
    private let includesStore: Bool
    private let completion: @Sendable (Result) -> Void
    private let result = Lock(Result())

    /// - Parameter completion: called inside the call of `start` or on a thread of the store.
    init(_ source: AdminSource, includesStore: Bool, _ completion: @escaping @Sendable (Result) -> Void) {
        self.source = source
        self.includesStore = includesStore
        self.completion = completion
    }

    func start(_ selection: ChangeTarget.Selection) {
        switch selection {
        case .uri(let uri): look(at: source.service.identity(of: uri))
        case .matching(let filter):
            for resource in source.service.table.resources(limit: .max, matching: filter.matches)
            where !resource.snapshot.variants.isEmpty {
                add(resource.uri)
            }
            look(into: filter, after: 0, WalkStep())
        case .tagged(let tags):
            for resource in source.service.table.resources(taggedBy: tags) { add(resource.uri) }
            guard includesStore, let store = source.service.table.environment.store else { return end() }
            store.list(taggedBy: Set(tags)) { [self] uris in
                for uri in uris { add(uri) }
                end()
            }
        }
    }

    private func look(at uri: TargetURI) {
        if let resource = source.service.table.find(uri), !resource.snapshot.variants.isEmpty { add(uri) }
        guard includesStore else { return end() }
        GatheredResource.gather(uri, source) { [self] gathered in
            if !gathered.variants.isEmpty { add(uri) }
            end()
        }
    }

    private func look(into filter: ResourceFilter, after entry: Int64, _ step: WalkStep) {
        guard includesStore, let store = source.service.table.environment.store else { return end() }
        store.list(after: entry, limit: step.rows, where: filter) { [self] page in
            for entry in page.entries { add(entry.uri) }
            guard let next = page.next else { return end() }
            look(into: filter, after: next, step.next(afterFinding: page.entries.count))
        }
    }

    private func add(_ uri: TargetURI) { result.withLock { $0.add(uri) } }

    private func end() { completion(result.withLock { $0 }) }
}
