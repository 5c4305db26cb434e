import Exchanges
import Formats
import HTTPCore
import Locking
import ResourceCore
import Stores

/// Lists resources in an order, page by page.
///
/// Each page needs a walk over all resources, and keeps only what may stand on it. A resource whose value stays as it
/// is stands on one page; one that moves between pages may stand on two or none.
final class OrderedListing: Sendable {
    private let source: AdminSource
    private let filter: ResourceFilter
    /// Only the walk uses it; nil while a step does.
    private let leading: Lock<LeadingResources?>

    init(_ source: AdminSource, _ filter: ResourceFilter, _ leading: LeadingResources) {
        self.source = source
        self.filter = filter
        self.leading = Lock(leading)
    }

    private var table: ResourceTable { source.service.table }

    /// Takes time proportional to the resources in memory and in the store.
    ///
    /// Calls `completion` inside the call or on a thread of the store.
    func page(_ completion: @escaping @Sendable (ResourceListing.Page) -> Void) {
        let listed = readMemory()
        guard !filter.isAboutMemory, let store = table.environment.store else { return finish(completion) }
        readStore(store, after: 0, listed: listed, WalkStep(), completion)
    }

    private func change(_ body: (inout LeadingResources) -> Void) {
        guard var current = leading.withLock({ $0.take() }) else { return }
        body(&current)
        leading.withLock { [current] in $0 = current }
    }

    private func finish(_ completion: (ResourceListing.Page) -> Void) {
        var page = ResourceListing.Page()
        change { leading in
            let (resources, next) = leading.page()
            page.resources = resources
            page.next = next
        }
        completion(page)
    }

    /// Returns the number of the last resource that was visited.
    private func readMemory() -> UInt64 {
        let now = table.environment.timekeeper.now
        let resources = table.resources(limit: .max, matching: filter.matches)
        change { leading in
            for resource in resources {
                guard let listed = ListedResource(resource, now: now), filter.matches(listed) else { continue }
                leading.add(listed)
            }
        }
        return resources.last?.id ?? 0
    }

    private func readStore(
        _ store: any VariantStore,
        after entry: Int64,
        listed: UInt64,
        _ step: WalkStep,
        _ completion: @escaping @Sendable (ResourceListing.Page) -> Void
    ) {
        let listing = ResourceListing(source: source, filter: filter, limit: 1)
        let wanted = WantedRows(listing: listing, listed: listed, window: leading.withLock { $0?.window })
        store.list(after: entry, limit: step.rows, where: wanted) { [self] stored in
            change { leading in
                for entry in stored.entries {
                    if let found = listing.item(entry, listed: listed) { leading.add(found) }
                }
            }
            guard let next = stored.next else { return finish(completion) }
            readStore(store, after: next, listed: listed, step.next(afterFinding: stored.entries.count), completion)
        }
    }
}
