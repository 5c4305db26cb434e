import HTTPCore

/// The first resources of an order behind a place, found in one walk over all of them.
///
/// It never keeps more than twice as many as it is to find.
struct LeadingResources: Sendable {
    private let sorting: ResourceSorting
    private let start: ResourcePlace?
    private let count: Int
    private var found: [(place: ResourcePlace, resource: ListedResource)] = []
    private var uris: Set<TargetURI> = []
    /// What does not precede it is not among the first; nil: all may be.
    private var end: ResourcePlace?
    /// Whether others come behind the first ones.
    private(set) var hasMore = false

    /// - Parameter start: the last resource of the page before; nil: this is the first page.
    init(_ count: Int, in sorting: ResourceSorting, behind start: ResourcePlace?) {
        self.count = count
        self.sorting = sorting
        self.start = start
    }

    var order: ResourceOrder { sorting.order }

    /// Whether a resource at `place` would change anything.
    func needs(_ place: ResourcePlace) -> Bool {
        if let start, !sorting.precedes(start, place) { return false }
        guard hasMore, let end else { return true }
        return sorting.precedes(place, end)
    }

    /// Takes a resource in if it may be among the first; one that is known stays as it is.
    mutating func add(_ resource: ListedResource) {
        let place = sorting.order.place(of: resource)
        guard needs(place) else { return }
        if let end, !sorting.precedes(place, end) { return hasMore = true }
        guard uris.insert(resource.uri).inserted else { return }
        found.append((place, resource))
        if found.count >= 2 * count { cut() }
    }

    private mutating func cut() {
        found.sort { sorting.precedes($0.place, $1.place) }
        guard found.count > count else { return }
        hasMore = true
        for one in found[count...] { uris.remove(one.resource.uri) }
        found.removeSubrange(count...)
        end = found.last?.place
    }

    /// The page, and the cursor of the next one.
    mutating func page() -> (resources: [ListedResource], next: String?) {
        cut()
        return (found.map(\.resource), hasMore ? found.last.map { sorting.cursor(behind: $0.place) } : nil)
    }
}
