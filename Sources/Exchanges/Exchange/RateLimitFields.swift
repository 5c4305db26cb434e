import HTTPCore

/// The quotas that an origin reports in `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
///
/// If one of the fields is malformed, both are ignored.
struct RateLimitFields: Equatable {
    /// What is left of one quota.
    struct Quota: Equatable {
        var remaining: Int64
        /// In seconds; nil if no field gives the time at which the quota is whole again.
        var reset: Int64?
        /// The whole quota; nil if no policy of this name has it.
        var limit: Int64?

        /// Whether less than a tenth is left; of an unknown quota, whether at most two requests are.
        var isScarce: Bool { remaining <= (limit.map { max(1, $0 / 10) } ?? 2) && remaining < limit ?? .max }
    }

    private(set) var quotas: [Quota] = []
    private static let limitName = Array("RateLimit".utf8)
    private static let policyName = Array("RateLimit-Policy".utf8)
    /// The most quotas in a field.
    private static let itemLimit = 32

    /// Nil without a valid `RateLimit`.
    init?(_ fields: Fields) {
        guard fields.contains(named: Self.limitName), let limits = Self.items(fields, Self.limitName), !limits.isEmpty,
            let policies = Self.items(fields, Self.policyName)
        else { return nil }
        for limit in limits {
            guard let remaining = limit.number("r") else { return nil }
            let policy = policies.first { $0.name == limit.name }
            quotas.append(
                Quota(remaining: remaining, reset: limit.number("t") ?? policy?.number("w"), limit: policy?.number("q"))
            )
        }
    }

    /// How long nothing may be sent, in seconds, since a quota is used up; nil if none is.
    var exhaustion: Int64? { quotas.filter { $0.remaining == 0 }.compactMap(\.reset).max() }

    /// How long to spare the quota, in seconds, since one is nearly used up; nil if none is.
    var scarcity: Int64? { quotas.filter(\.isScarce).compactMap(\.reset).max() }

    // MARK: Parsing

    /// One item of a list: a string with parameters that are numbers.
    private struct Item {
        var name: [UInt8]
        var parameters: [(key: [UInt8], value: StructuredValue)]

        func number(_ key: String) -> Int64? {
            guard case .integer(let value)? = parameters.first(where: { $0.key.elementsEqual(key.utf8) })?.value
            else { return nil }
            return value
        }

        /// Whether no number that we read has another type, or is negative.
        var isSound: Bool {
            ["r", "t", "q", "w"].allSatisfy { key in
                guard parameters.contains(where: { $0.key.elementsEqual(key.utf8) }) else { return true }
                return number(key).map { $0 >= 0 } ?? false
            }
        }
    }

    /// The items of all lines of a field; nil if it is malformed.
    private static func items(_ fields: Fields, _ name: [UInt8]) -> [Item]? {
        let lines = fields.values(named: name)
        var scanner = StructuredFieldScanner(Array(lines.joined(separator: [0x2C])))
        var items: [Item] = []
        scanner.skipSpaces()
        while !scanner.isAtEnd {
            guard case .string(let name)? = scanner.bareItem(), let parameters = scanner.parameters() else {
                return nil
            }
            let item = Item(name: name, parameters: parameters)
            guard item.isSound else { return nil }
            items.append(item)
            guard items.count <= itemLimit else { return nil }
            scanner.skipBlanks()
            if scanner.isAtEnd { return items }
            guard scanner.skip(0x2C) else { return nil }
            scanner.skipBlanks()
            if scanner.isAtEnd { return nil }
        }
        return items
    }
}
