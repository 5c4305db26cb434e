import HTTPCore

/// The first resources of an order behind a position, found in one walk over all of them.
///
/// It never keeps more than twice as many as it is to find.
struct LeadingResources: Sendable {
    private let count: Int
    /// Where those stand that would change anything.
    private(set) var window: ResourceWindow
    private var found: [(position: ResourcePosition, resource: ListedResource)] = []
    private var uris: Set<TargetURI> = []
    /// Whether others come behind the first ones.
    private(set) var hasMore = false

    /// - Parameter start: the last resource of the page before; nil: this is the first page.
    init(_ count: Int, in sorting: ResourceSorting, behind start: ResourcePosition?) {
        self.count = count
        window = ResourceWindow(sorting: sorting, start: start)
    }

    /// Adds a resource if it may be among the first; one that is known stays as it is.
    mutating func add(_ resource: ListedResource) {
        let position = window.sorting.order.position(of: resource)
        guard window.contains(position) else { return }
        guard uris.insert(resource.uri).inserted else { return }
        found.append((position, resource))
        if found.count >= 2 * count { cut() }
    }

    private mutating func cut() {
        let sorting = window.sorting
        found.sort { sorting.precedes($0.position, $1.position) }
        guard found.count > count else { return }
        hasMore = true
        for one in found[count...] { uris.remove(one.resource.uri) }
        found.removeSubrange(count...)
        window.end = found.last?.position
    }

    /// The page, and the cursor of the next one.
    mutating func page() -> (resources: [ListedResource], next: String?) {
        cut()
        return (found.map(\.resource), hasMore ? found.last.map { window.sorting.cursor(behind: $0.position) } : nil)
    }
}

/// Where resources of an order stand that are behind a position, and before another.
struct ResourceWindow: Sendable {
    let sorting: ResourceSorting
    /// Nil: from the beginning.
    let start: ResourcePosition?
    /// Nil: to the end.
    var end: ResourcePosition?

    func contains(_ position: ResourcePosition) -> Bool { contains(position.key, position.uri.bytes.span) }

    private func contains(_ key: Int64?, _ uri: Span<UInt8>) -> Bool {
        if let start, sorting.relation(of: start, to: key, uri) != .before { return false }
        return end.map { sorting.relation(of: $0, to: key, uri) == .behind } ?? true
    }

    /// Whether a stored resource may stand in it, as far as its row shows.
    ///
    /// - Parameter uri: its bytes in canonical form.
    func needsRow(_ uri: Span<UInt8>, status: UInt16, contentBytes: Int64) -> Bool {
        switch sorting.order {
        // The store does not know hits.
        case .url, .hits: contains(nil, uri)
        case .size: contains(contentBytes, uri)
        case .status: contains(-Int64(status), uri)
        case .state, .age, .ttl: true
        }
    }
}
