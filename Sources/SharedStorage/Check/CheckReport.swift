/// What a check has seen, and what that means for the operator.
struct CheckReport {
    let plan: CheckPlan
    /// What the nodes that the settings name said when they were asked for the cluster's nodes.
    private(set) var seeds: [Seed] = []
    /// The cluster, as the first node described it that knew it.
    private(set) var layout: ClusterLayout?
    /// In any order.
    var nodes: [NodeFacts] = []

    struct Seed {
        let address: ServerAddress
        let reply: Result<RedisReply, SharedFailure>
        /// Nil: it did not say.
        let isClustered: Bool?
    }

    init(_ plan: CheckPlan) { self.plan = plan }

    mutating func note(
        _ reply: Result<RedisReply, SharedFailure>,
        from address: ServerAddress,
        isClustered: Bool?
    ) {
        seeds.append(Seed(address: address, reply: reply, isClustered: isClustered))
        if layout == nil, let reply = try? reply.get() { layout = ClusterLayout(reply, from: address) }
    }

    var findings: [CheckFinding] {
        let seen = plan.isCluster ? seedFindings + layoutFindings : []
        return seen + reachFindings + accessFindings + useFindings
    }

    /// Servers that answered, with what they said of themselves.
    var answered: [(node: NodeFacts, greeting: Greeting)] {
        nodes.compactMap { node in (try? node.greeting.get()).map { (node, $0) } }
    }

    /// The findings about servers; servers with equal findings share one, and `find` returns nil for nothing to report.
    func grouped(_ find: (NodeFacts, Greeting) -> CheckFinding?) -> [CheckFinding] {
        var groups: [(finding: CheckFinding, nodes: [ServerAddress])] = []
        for (node, greeting) in answered {
            guard let finding = find(node, greeting) else { continue }
            if let index = groups.firstIndex(where: { $0.finding == finding }) {
                groups[index].nodes.append(node.address)
            } else {
                groups.append((finding, [node.address]))
            }
        }
        return groups.map { group in
            guard plan.isCluster else { return group.finding }
            var finding = group.finding
            let isAll = group.nodes.count == answered.count
            finding.seen = (isAll ? "on each node" : Self.list(group.nodes)) + ": " + finding.seen
            return finding
        }
    }

    static func list(_ addresses: [ServerAddress]) -> String {
        let names = addresses.map(\.description).sorted()
        let rest = names.count > 4 ? " and \(names.count - 4) more" : ""
        return names.prefix(4).joined(separator: ", ") + rest
    }
}
