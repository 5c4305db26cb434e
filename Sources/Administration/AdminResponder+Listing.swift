import Eventing
import Formats
import HTTPCore
import HTTPServer
import Platform

extension AdminResponder {
    /// The most ordered listings at once: each walks over all that is stored.
    private static let mostOrderedListings = 4

    /// `GET /v1/resources?filter=…&sort=…&limit=…&cursor=…`.
    func listPage(_ exchange: ServerExchange, _ request: AdminRequest) throws(AdminRefusal) {
        let filter = try request["filter"].map { text throws(AdminRefusal) in try ResourceFilter(text) } ?? .all
        let limit = try request.integer(.resourceLimit) ?? 1
        let bound = LoopBound(exchange, loop: loop)
        if let sorting = try Self.sorting(request) {
            let leading = LeadingResources(limit, in: sorting, behind: try sorting.position(request["cursor"]))
            return try listInOrder(bound, OrderedListing(source, filter, leading))
        }
        let listing = ResourceListing(source: source, filter: filter, limit: limit)
        let cursor = try ListingCursor(request["cursor"])
        let isTaken = source.workers.submit {
            listing.page(from: cursor) { page in bound.submit { $0.reply { page.write(to: &$0) } } }
        }
        if !isTaken { throw Self.tooMany }
    }

    private func listInOrder(
        _ exchange: LoopBound<ServerExchange>,
        _ listing: OrderedListing
    ) throws(AdminRefusal) {
        guard orderedListings < Self.mostOrderedListings else { throw Self.tooMany }
        let bound = LoopBound(self, loop: loop)
        let isTaken = source.workers.submit {
            listing.page { page in
                bound.submit { $0.orderedListings -= 1 }
                exchange.submit { $0.reply { page.write(to: &$0) } }
            }
        }
        guard isTaken else { throw Self.tooMany }
        orderedListings += 1
    }

    private static func sorting(_ request: AdminRequest) throws(AdminRefusal) -> ResourceSorting? {
        let isReversed = try request.boolean(.isReversed)
        guard let text = request["sort"] else {
            if isReversed { throw AdminRefusal(400, "`reverse` turns the order of `sort`; give that, too") }
            return nil
        }
        guard let order = ResourceOrder(rawValue: text) else {
            let names = ResourceOrder.allCases.map(\.rawValue).joined(separator: ", ")
            throw AdminRefusal(400, "`sort` must be one of \(names)")
        }
        return ResourceSorting(order: order, isReversed: isReversed)
    }

    static var tooMany: AdminRefusal { AdminRefusal(503, "too many listings are in progress") }
}
