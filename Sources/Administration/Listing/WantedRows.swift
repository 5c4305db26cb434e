import HTTPCore
import Stores

/// The rows of the store that a listing wants.
struct WantedRows: RowTest {
    let listing: ResourceListing
    /// The last resource in memory that the listing visited.
    let listed: UInt64
    /// Where they stand in the listing's order; nil: it has none, or they may stand anywhere.
    var window: ResourceWindow?

    func uri(of canonical: Span<UInt8>, status: UInt16, contentBytes: Int64) -> TargetURI? {
        if let window, !window.needsRow(canonical, status: status, contentBytes: contentBytes) { return nil }
        return listing.filter.uri(of: canonical)
    }

    func wants(_ record: StoredSummary) -> Bool {
        if window == nil, listing.filter.isAboutURIs { return true }
        guard let found = listing.item(record, listed: listed) else { return false }
        return window.map { $0.contains($0.sorting.order.position(of: found)) } ?? true
    }
}
