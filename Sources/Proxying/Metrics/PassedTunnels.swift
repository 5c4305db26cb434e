/// How many tunnels passed unread, by target; remembers the targets that were asked for latest.
public struct PassedTunnels: Sendable {
    public struct Target: Sendable, Equatable {
        /// Host and port.
        public var name: [UInt8]
        public var count: Int
    }

    /// The most targets; a further one replaces that whose latest tunnel is the oldest.
    static let limit = 256

    private var targets: [[UInt8]: (count: Int, latest: Int)] = [:]
    /// All of them since the start.
    private(set) var opened = 0

    mutating func add(_ target: [UInt8]) {
        opened += 1
        if targets[target] == nil, targets.count == Self.limit,
            let oldest = targets.min(by: { $0.value.latest < $1.value.latest })
        {
            targets[oldest.key] = nil
        }
        targets[target] = (count(to: target) + 1, opened)
    }

    func count(to target: [UInt8]) -> Int { targets[target]?.count ?? 0 }

    func mostFrequent(_ limit: Int) -> [Target] {
        let all = targets.map { Target(name: $0.key, count: $0.value.count) }
        return Array(all.sorted(by: Self.isMoreFrequent).prefix(limit))
    }

    private static func isMoreFrequent(_ one: Target, _ other: Target) -> Bool {
        one.count == other.count ? one.name.lexicographicallyPrecedes(other.name) : one.count > other.count
    }
}
