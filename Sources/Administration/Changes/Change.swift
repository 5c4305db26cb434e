import Eventing
import HTTPCore
import Locking
import Platform
import ResourceCore
import Stores

/// A change of stored responses.
enum Change: Sendable {
    /// Removes responses from memory and store.
    case purge(ChangeTarget, AdminSource)
    /// Removes responses from memory; the store keeps its copies (S-193).
    case wipe(ChangeTarget, AdminSource)
    /// Marks responses stale, so that they are validated before the next use.
    case invalidate(ChangeTarget, AdminSource)

    /// The member of the response that has the count.
    var countName: String {
        switch self {
        case .purge: "purged"
        case .wipe: "wiped"
        case .invalidate: "invalidated"
        }
    }

    /// Makes the change, and calls `completion` once the store has committed it, inside the call or on any thread.
    ///
    /// It passes the number of responses purged or wiped, or of resources invalidated.
    ///
    /// A change of all resources runs on a worker: with a hundred thousand of them it takes longer than a loop may
    /// pause.
    /// - Returns: false if the workers' queue is full; then nothing is changed.
    func run(_ completion: @escaping @Sendable (Int) -> Void) -> Bool {
        if isAboutMany { return source.workers.submit { runHere(completion) } }
        runHere(completion)
        return true
    }

    /// Looks what would be changed, and calls `completion`, inside the call or on any thread.
    ///
    /// - Returns: false if the workers' queue is full.
    func preview(_ completion: @escaping @Sendable (ChangePreview.Result) -> Void) -> Bool {
        let preview = ChangePreview(source, includesStore: isAboutStore, completion)
        let selection = target.selection
        if isAboutMany { return source.workers.submit { preview.start(selection) } }
        preview.start(selection)
        return true
    }

    /// Whether it is also about what is only in the store.
    private var isAboutStore: Bool { if case .wipe = self { false } else { true } }

    private var target: ChangeTarget { parts.target }
    private var source: AdminSource { parts.source }

    private var parts: (target: ChangeTarget, source: AdminSource) {
        switch self {
        case .purge(let target, let source), .wipe(let target, let source), .invalidate(let target, let source):
            (target, source)
        }
    }

    private var isAboutMany: Bool {
        switch target.selection {
        case .uri: false
        case .matching, .tagged: true
        }
    }

    private func runHere(_ completion: @escaping @Sendable (Int) -> Void) {
        if let change = announced { source.service.announce(change) }
        switch self {
        case .purge(let target, let source): Self.purge(target, source, completion)
        case .wipe(let target, let source): completion(Self.wipe(target, source))
        case .invalidate(let target, let source): Self.invalidate(target, source, completion)
        }
    }

    /// What other nodes have to do, too.
    private var announced: SharedChange? {
        switch self {
        case .purge(let target, _): target.selection.purge
        case .invalidate(let target, _):
            if case .uri(let uri) = target.selection { .invalidate(uri) } else { target.selection.purge }
        // What is only in memory proves nothing about other nodes.
        case .wipe: nil
        }
    }

    // MARK: Purging

    private static func purge(
        _ target: ChangeTarget,
        _ source: AdminSource,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        let table = source.service.table
        switch target.selection {
        case .uri(let uri):
            // A response that is being written to the store is counted in memory.
            let inMemory = table.find(source.service.identity(of: uri))?.snapshot.variants.count ?? 0
            table.purge(uri, of: source.service) { completion(max($0, inMemory)) }
        case .matching(let filter):
            let inMemory = table.resources(limit: .max, matching: filter.matches)
                .reduce(0) { $0 + $1.snapshot.variants.count }
            table.purge(where: { filter.matches($0) }) { completion(max($0, inMemory)) }
        case .tagged(let tags): table.purge(tags, completion)
        }
    }

    // MARK: Wiping

    private static func wipe(_ target: ChangeTarget, _ source: AdminSource) -> Int {
        let table = source.service.table
        let resources =
            switch target.selection {
            case .uri(let uri): table.find(source.service.identity(of: uri)).map { [$0] } ?? []
            case .matching(let filter): table.resources(limit: .max, matching: filter.matches)
            case .tagged(let tags): table.resources(taggedBy: tags)
            }
        return resources.reduce(0) { count, resource in
            let inMemory = resource.snapshot.variants.count
            resource.wipe()
            return count + inMemory
        }
    }

    // MARK: Invalidating

    private static func invalidate(
        _ target: ChangeTarget,
        _ source: AdminSource,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        switch target.selection {
        case .uri(let uri):
            GatheredResource.gather(source.service.identity(of: uri), source) { gathered in
                guard !gathered.variants.isEmpty else { return completion(0) }
                source.service.resource(for: uri).invalidate { _ in completion(1) }
            }
        case .matching(let filter): Invalidation(filter, source, completion).start()
        // Only a purge is by tag.
        case .tagged: completion(0)
        }
    }
}

/// Invalidates all resources that match a filter: those in memory, then those in the store, page by page.
private final class Invalidation: Sendable {
    private struct State {
        var seen: Set<TargetURI> = []
        var pending = 1
    }

    private let filter: ResourceFilter
    private let source: AdminSource
    private let completion: @Sendable (Int) -> Void
    private let state = Lock(State())

    init(_ filter: ResourceFilter, _ source: AdminSource, _ completion: @escaping @Sendable (Int) -> Void) {
        self.filter = filter
        self.source = source
        self.completion = completion
    }

    func start() {
        for resource in source.service.table.resources(limit: .max, matching: filter.matches)
        where !resource.snapshot.variants.isEmpty {
            mark(resource.uri)
        }
        goOn(after: 0, WalkStep())
    }

    private func goOn(after entry: Int64, _ step: WalkStep) {
        guard let store = source.service.table.environment.store else { return end() }
        store.list(after: entry, limit: step.rows, where: filter) { [self] page in
            for entry in page.entries { mark(entry.uri) }
            guard let next = page.next else { return end() }
            goOn(after: next, step.next(afterFinding: page.entries.count))
        }
    }

    private func mark(_ uri: TargetURI) {
        let isNew = state.withLock { state in
            guard state.seen.insert(uri).inserted else { return false }
            state.pending += 1
            return true
        }
        if isNew { source.service.resource(for: uri).invalidate { [self] _ in end() } }
    }

    private func end() {
        let count = state.withLock { state -> Int? in
            state.pending -= 1
            return state.pending == 0 ? state.seen.count : nil
        }
        if let count { completion(count) }
    }
}
