public import Eventing

/// Tries the server or cluster of the settings as a node would use it, with keys that no node uses.
///
/// Bound to its loop.
public final class SharedCheck {
    private let plan: CheckPlan
    private let loop: EventLoop
    private let connector: Connector
    private var report: CheckReport
    private var pending = 0
    private var completion: (([CheckFinding]) -> Void)?

    public init(_ plan: CheckPlan, loop: EventLoop, connector: Connector) {
        (self.plan, self.loop, self.connector) = (plan, loop, connector)
        report = CheckReport(plan)
    }

    /// Begins; `completion` is called once, and not within this call.
    public func run(_ completion: @escaping ([CheckFinding]) -> Void) {
        self.completion = completion
        guard !plan.isCluster else { return askForNodes(plan.addresses[...]) }
        check(plan.addresses.map { ($0, CheckKeys(), isPrimary: true) })
    }

    // MARK: The nodes of a cluster

    /// Asks each named node for the cluster's nodes; the first reply counts.
    private func askForNodes(_ addresses: ArraySlice<ServerAddress>) {
        guard let address = addresses.first else { return checkNodes() }
        let link = ServerLink(address, loop, connector, plan.server)
        let time = plan.server.connectTimeout + NodeCheck.patience
        link.send([RedisCommand("CLUSTER", "SLOTS")], within: time) { [self] result in
            report.note(result.map { $0[0] }, from: address, isClustered: link.greeting?.isClustered)
            link.close()
            askForNodes(addresses.dropFirst())
        }
    }

    private func checkNodes() {
        let nodes = report.layout?.nodes ?? []
        check(
            nodes.map { node in
                let keys = node.slots.isEmpty ? nil : CheckKeys(where: node.has)
                return (node.address, keys ?? CheckKeys(), isPrimary: keys != nil)
            }
        )
    }

    // MARK: Each server

    private func check(_ servers: [(address: ServerAddress, keys: CheckKeys, isPrimary: Bool)]) {
        pending = servers.count
        for server in servers {
            let check = NodeCheck(
                server.address,
                server.keys,
                isPrimary: server.isPrimary,
                loop: loop,
                connector: connector,
                options: plan.server
            ) { [self] facts in
                report.nodes.append(facts)
                pending -= 1
                if pending == 0 { end() }
            }
            check.run()
        }
        if servers.isEmpty { loop.atEndOfTurn { [self] in end() } }
    }

    private func end() { completion.take()?(report.findings) }
}
