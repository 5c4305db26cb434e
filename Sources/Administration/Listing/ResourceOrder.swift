import HTTPCore

/// The order of a listing: by a number, the largest first, or by a word or URL from A.
///
/// Resources without a value are last; those with equal values are in the order of their URLs.
enum ResourceOrder: String, Sendable, CaseIterable {
    case url, state, status, size, age, ttl, hits

    /// Where a resource stands.
    ///
    /// Age and remaining time pass while somebody reads the pages, so these orders go by the times that they follow
    /// from.
    func position(of resource: ListedResource) -> ResourcePosition {
        let key: Int64? =
            switch self {
            case .url: nil
            case .state: resource.standings.first.map { -$0.rank }
            case .status: resource.status.map { -Int64($0) }
            case .size: resource.size
            case .age: resource.generated.map { -$0 }
            case .ttl: resource.expires
            case .hits: resource.hits.map(Int64.init)
            }
        return ResourcePosition(key: key, uri: resource.uri)
    }
}

/// Where a resource stands in an order; less means earlier.
struct ResourcePosition: Sendable, Comparable {
    /// The largest is first; nil is last.
    let key: Int64?
    let uri: TargetURI

    static func < (left: ResourcePosition, right: ResourcePosition) -> Bool {
        left.relation(to: right.key, right.uri.bytes.span) == .before
    }

    /// Where it stands to the position of `key` and the URI with these bytes.
    fileprivate func relation(to key: Int64?, _ uri: Span<UInt8>) -> PositionRelation {
        switch (self.key, key) {
        case (let one?, let other?) where one != other: one > other ? .before : .behind
        case (nil, _?): .behind
        case (_?, nil): .before
        case (_, _): Self.relation(of: self.uri.bytes.span, to: uri)
        }
    }

    private static func relation(of one: Span<UInt8>, to other: Span<UInt8>) -> PositionRelation {
        for index in 0..<min(one.count, other.count) where one[index] != other[index] {
            return one[index] < other[index] ? .before : .behind
        }
        return one.count == other.count ? .same : one.count < other.count ? .before : .behind
    }
}

/// How one position stands to another.
enum PositionRelation {
    case before, same, behind

    fileprivate var reversed: PositionRelation {
        switch self {
        case .before: .behind
        case .same: .same
        case .behind: .before
        }
    }
}

extension ResourceStanding {
    /// The position of the word in the alphabet.
    fileprivate var rank: Int64 {
        switch self {
        case .error: 0
        case .fresh: 1
        case .loading: 2
        case .stale: 3
        }
    }
}

/// An order and its direction.
struct ResourceSorting: Sendable {
    let order: ResourceOrder
    let isReversed: Bool

    func precedes(_ one: ResourcePosition, _ other: ResourcePosition) -> Bool { isReversed ? other < one : one < other }

    /// Where `position` stands to that of `key` and the URI with these bytes.
    func relation(of position: ResourcePosition, to key: Int64?, _ uri: Span<UInt8>) -> PositionRelation {
        let relation = position.relation(to: key, uri)
        return isReversed ? relation.reversed : relation
    }

    /// The cursor behind a resource.
    func cursor(behind position: ResourcePosition) -> String {
        let key = position.key.map { String($0, radix: 36) } ?? ""
        return "\(order.rawValue).\(key).\(Base64URL.encode(position.uri.bytes))"
    }

    /// Reads a cursor of this order; nil is the start.
    func position(_ cursor: String?) throws(AdminRefusal) -> ResourcePosition? {
        guard let cursor else { return nil }
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == order.rawValue, let id = ResourceIdentifier(text: String(parts[2])) else {
            throw ListingCursor.invalid
        }
        guard !parts[1].isEmpty else { return ResourcePosition(key: nil, uri: id.uri) }
        guard let key = Int64(parts[1], radix: 36) else { throw ListingCursor.invalid }
        return ResourcePosition(key: key, uri: id.uri)
    }
}
