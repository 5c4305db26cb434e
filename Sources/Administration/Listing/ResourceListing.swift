import Exchanges
import Formats
import HTTPCore
import ResourceCore
import Stores

/// Lists resources page by page, those in memory first, then those in the store; each once.
///
/// A resource that moves meanwhile, in the store or between it and memory, is listed at least once.
struct ResourceListing: Sendable {
    /// After this time a page ends, so that a client with a filter of few matches hears from us.
    private static let pageTime = Duration.milliseconds(150)

    struct Page: Sendable {
        var resources: [ListedResource] = []
        /// The cursor of the next page; nil on the last one.
        var next: String?

        func write(to writer: inout JSONWriter) {
            writer.memberArray("resources") { writer in
                for resource in resources { writer.object { resource.write(to: &$0) } }
            }
            if let next { writer.member("next", next) }
        }
    }

    let source: AdminSource
    let filter: ResourceFilter
    let limit: Int

    private var table: ResourceTable { source.service.table }

    /// Takes time proportional to the resources in memory.
    ///
    /// Calls `completion` inside the call or on a thread of the store.
    func page(from cursor: ListingCursor, _ completion: @escaping @Sendable (Page) -> Void) {
        let end = table.environment.timekeeper.now + Self.pageTime
        switch cursor {
        case .memory(let id):
            var page = Page()
            let last = readMemory(after: id, into: &page)
            if let last {
                page.next = ListingCursor.memory(last).text
                return completion(page)
            }
            if filter.isAboutMemory { return completion(page) }
            let listed = max(id, table.resources(after: id, limit: .max).last?.id ?? 0)
            readStore(after: 0, listed: listed, page, WalkStep(for: limit), until: end, completion)
        case .store(let entry, let listed):
            readStore(after: entry, listed: listed, Page(), WalkStep(for: limit), until: end, completion)
        }
    }

    /// Returns where to continue if the page is full; nil if there is no more in memory.
    private func readMemory(after id: UInt64, into page: inout Page) -> UInt64? {
        let now = table.environment.timekeeper.now
        for resource in table.resources(after: id, limit: .max, matching: filter.matches) {
            guard let listed = ListedResource(resource, now: now), filter.matches(listed) else { continue }
            page.resources.append(listed)
            if page.resources.count == limit { return resource.id }
        }
        return nil
    }

    private func readStore(
        after entry: Int64,
        listed: UInt64,
        _ page: Page,
        _ step: WalkStep,
        until end: MonotonicTime,
        _ completion: @escaping @Sendable (Page) -> Void
    ) {
        guard let store = table.environment.store else { return completion(page) }
        store.list(after: entry, limit: step.rows, where: WantedRows(listing: self, listed: listed)) { stored in
            var page = page
            for entry in stored.entries {
                if let resource = item(entry, listed: listed) { page.resources.append(resource) }
                if page.resources.count == limit {
                    page.next = ListingCursor.store(entry.id, listed: listed).text
                    return completion(page)
                }
            }
            guard let next = stored.next else { return completion(page) }
            guard table.environment.timekeeper.now < end else {
                page.next = ListingCursor.store(next, listed: listed).text
                return completion(page)
            }
            let further = step.next(afterFinding: stored.entries.count)
            readStore(after: next, listed: listed, page, further, until: end, completion)
        }
    }

    /// Adds an entry of the store, unless it was listed from memory or the filter excludes it.
    func item(_ entry: StoredSummary, listed: UInt64) -> ListedResource? {
        let environment = table.environment
        let found: ListedResource
        if let live = table.find(entry.uri),
            let shown = ListedResource(live, now: environment.timekeeper.now)
        {
            guard live.id > listed else { return nil }
            found = shown
        } else {
            let options = source.service.configuration(for: entry.uri).values.caching
            found = ListedResource(
                entry,
                now: environment.timekeeper.wallNow,
                options: options,
                hasher: environment.hasher
            )
        }
        return filter.matches(found) ? found : nil
    }
}
