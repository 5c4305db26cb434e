/// Which node has which slots, by the reply to CLUSTER SLOTS.
struct SlotMap: Sendable, Equatable {
    /// The primaries.
    private(set) var nodes: [ServerAddress] = []
    /// For each slot the index of its node; negative: none has it.
    private var owners = [Int16](repeating: -1, count: KeySlot.count)

    /// A cluster has at most 1,000 nodes; more are not believed.
    private static let nodeLimit = 1_000

    init() {}

    /// Reads a reply; nil if it is none.
    ///
    /// - Parameter source: the node that replied; where the reply names no host, it means this one's.
    init?(_ reply: RedisReply, from source: ServerAddress) {
        guard let ranges = reply.list, !ranges.isEmpty else { return nil }
        for range in ranges {
            guard let parts = range.list, parts.count >= 3, let first = parts[0].number, let last = parts[1].number,
                0 <= first, first <= last, last < KeySlot.count,
                let node = parts[2].list.flatMap({ Self.address($0, source) }), let index = index(of: node)
            else { return nil }
            for slot in Int(first)...Int(last) { owners[slot] = index }
        }
    }

    /// The address of a node; nil: it is none.
    static func address(_ node: [RedisReply], _ source: ServerAddress) -> ServerAddress? {
        guard node.count >= 2, let port = node[1].number else { return nil }
        if let host = node[0].string, !host.isEmpty, host != "?" { return ServerAddress(host: host, port: port) }
        guard case .host(let host, _) = source else { return nil }
        return ServerAddress(host: host, port: port)
    }

    private mutating func index(of node: ServerAddress) -> Int16? {
        if let known = nodes.firstIndex(of: node) { return Int16(known) }
        guard nodes.count < Self.nodeLimit else { return nil }
        nodes.append(node)
        return Int16(nodes.count - 1)
    }

    /// The node that has a slot, as far as is known.
    func node(of slot: UInt16) -> ServerAddress? {
        guard Int(slot) < owners.count, owners[Int(slot)] >= 0 else { return nil }
        return nodes[Int(owners[Int(slot)])]
    }

    /// Notes that a slot is with another node.
    mutating func move(_ slot: UInt16, to node: ServerAddress) {
        guard Int(slot) < owners.count, let index = index(of: node) else { return }
        owners[Int(slot)] = index
    }
}
