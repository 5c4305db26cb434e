import JSON
import Settings

extension AdminClient {
    private static let pageSize = 500

    /// The most resources of a page.
    static let largestPage = 1000

    /// The first `limit` resources of an order, found by the daemon; at most `largestPage`.
    func first(
        _ limit: Int,
        filter: String?,
        in order: ListOrder,
        isReversed: Bool
    ) throws(CommandFailure) -> [JSONValue] {
        var path = "/v1/resources?limit=\(limit)&sort=\(order.rawValue)&reverse=\(isReversed)"
        if let filter { path += "&filter=\(QueryText.escaped(filter.utf8))" }
        return try get(path).json()["resources"]?.elements ?? []
    }

    /// Calls `body` with the resources that fit a filter, at most `limit`, page by page.
    ///
    /// - Parameter filter: nil: all resources.
    func forEachPage(
        filter: String?,
        limit: Int = .max,
        _ body: ([JSONValue]) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        var left = limit
        var cursor: String?
        repeat {
            var path = "/v1/resources?limit=\(min(left, Self.pageSize))"
            if let filter { path += "&filter=\(QueryText.escaped(filter.utf8))" }
            if let cursor { path += "&cursor=\(QueryText.escaped(cursor.utf8))" }
            let page = try get(path).json()
            let resources = page["resources"]?.elements ?? []
            left -= resources.count
            cursor = page["next"]?.text
            try body(resources)
        } while cursor != nil && left > 0
    }
}
