/// All nodes of a cluster, replicas too, by the reply to CLUSTER SLOTS.
struct ClusterLayout: Sendable, Equatable {
    struct Node: Sendable, Equatable {
        let address: ServerAddress
        /// The slots of a primary; none: a replica.
        var slots: [ClosedRange<Int>] = []

        func has(_ slot: UInt16) -> Bool { slots.contains { $0.contains(Int(slot)) } }
    }

    private(set) var nodes: [Node] = []
    /// How many slots have a node.
    private(set) var covered = 0

    private static let nodeLimit = 1_000

    /// Reads a reply; nil if it is none, or names what is no address.
    ///
    /// - Parameter source: the node that replied.
    init?(_ reply: RedisReply, from source: ServerAddress) {
        // Nodes read the reply in this way, and accept nothing else.
        guard let map = SlotMap(reply, from: source) else { return nil }
        covered = (0..<KeySlot.count).count { map.node(of: UInt16($0)) != nil }
        for range in reply.list ?? [] {
            guard let parts = range.list, parts.count > 2, let first = parts[0].number, let last = parts[1].number
            else { return nil }
            for (rank, part) in parts[2...].enumerated() {
                guard let address = part.list.flatMap({ SlotMap.address($0, source) }) else { continue }
                note(address, rank == 0 ? Int(first)...Int(last) : nil)
            }
        }
    }

    private mutating func note(_ address: ServerAddress, _ slots: ClosedRange<Int>?) {
        let index = nodes.firstIndex { $0.address == address } ?? nodes.count
        if index == nodes.count {
            guard index < Self.nodeLimit else { return }
            nodes.append(Node(address: address))
        }
        if let slots { nodes[index].slots.append(slots) }
    }

    var primaries: Int { nodes.count { !$0.slots.isEmpty } }
}
