/// Whether servers answer, and belong together as the settings say.
extension CheckReport {
    /// What is wrong with nodes that the settings name.
    var seedFindings: [CheckFinding] {
        let silent = seeds.compactMap { seed -> CheckFinding? in
            guard case .failure(let failure) = seed.reply else { return nil }
            return fault(failure, of: seed.address)
        }
        // One node that names the cluster is enough: silence of the others is only a note.
        guard layout != nil else { return silent }
        return silent.map { finding in
            var finding = finding
            finding.verdict = .note
            return finding
        }
    }

    var layoutFindings: [CheckFinding] {
        guard let layout else { return missingLayout.map { [$0] } ?? [] }
        let replicas = layout.nodes.count - layout.primaries
        let primary = layout.primaries == 1 ? "primary" : "primaries"
        let parts = "\(layout.primaries) \(primary), \(replicas) \(replicas == 1 ? "replica" : "replicas")"
        guard layout.covered == KeySlot.count else {
            let gone = KeySlot.count - layout.covered
            return [
                .fault(
                    "cluster",
                    "\(gone) of 16384 slots have no node (\(parts))",
                    "`redis-cli cluster info` and `cluster nodes` say which; `redis-cli --cluster fix` gives them one"
                )
            ]
        }
        return [.ok("cluster", "all 16384 slots have a node: \(parts)")]
    }

    /// Why no node knew the cluster, although one answered.
    private var missingLayout: CheckFinding? {
        for seed in seeds {
            guard let reply = try? seed.reply.get() else { continue }
            if seed.isClustered == false {
                return .fault("cluster", "\(seed.address) belongs to no cluster", "name it by `shared.url`")
            }
            guard reply.failure?.kind == .noPermission else { continue }
            return .fault(
                "cluster",
                "\(seed.address): user \(plan.user) may not ask for the nodes of the cluster",
                "`ACL SETUSER \(plan.user) +cluster|slots`, on each node"
            )
        }
        guard let answer = seeds.first(where: { (try? $0.reply.get()) != nil }) else { return nil }
        return .fault(
            "cluster",
            "\(answer.address) names no nodes, or what is no address",
            "`redis-cli cluster slots` shows what it says; give its slots to nodes, and check `cluster-announce-ip`"
        )
    }

    /// Whether the server, or each node of the cluster, answers.
    var reachFindings: [CheckFinding] {
        let faults = nodes.compactMap { node -> CheckFinding? in
            guard case .failure(let failure) = node.greeting else { return nil }
            return fault(failure, of: node.address)
        }
        guard !answered.isEmpty else { return faults }
        let transport = plan.server.security == nil ? "without TLS" : "with TLS"
        let names = plan.isCluster && faults.isEmpty ? "each node" : Self.list(answered.map(\.node.address))
        let verb = names.contains(", ") ? "answer" : "answers"
        return faults + [.ok(plan.isCluster ? "nodes" : "server", "\(names) \(verb), \(transport)")]
    }

    /// What a failure means, and what to do.
    private func fault(_ failure: SharedFailure, of address: ServerAddress) -> CheckFinding {
        switch failure {
        case .unreachable(let sentence): return .fault("server", sentence, remedy(address))
        case .refused(let error):
            let (seen, remedy) = error.advice
            let isLogin = error.kind == .wrongPassword || error.kind == .passwordRequired
            return .fault(isLogin ? "login" : "server", "\(address): \(seen)", remedy)
        case .tooOld(let version):
            return .fault("version", "\(address) is Redis \(version); 6.2 or later is needed", "update the server")
        case .noRedis(let reason):
            return .fault("server", "\(address) is no Redis server, or broke its protocol: \(reason)", portRemedy)
        case .lost(let reason):
            return .fault("server", "\(address) lost the connection: \(reason)", portRemedy)
        case .timeout:
            return .fault("server", "\(address) does not answer", "`redis-cli -h HOST ping` should; look at its log")
        case .busy, .noNode, .unexpected:
            return .fault("server", "\(address): \(failure.userMessage)", "look at its log")
        }
    }

    private var portRemedy: String {
        "check the port: `rediss://` is for one with TLS, `redis://` for one without"
    }

    private func remedy(_ address: ServerAddress) -> String {
        if case .socket = address { return "check the path, and that this user may open it" }
        guard plan.addresses.contains(address) else {
            return "each node must announce an address that leads to it from here: `cluster-announce-ip` and `…-port`"
        }
        guard plan.server.security != nil else { return "check `\(plan.setting)`, the server's `bind`, and firewalls" }
        return "check `\(plan.setting)`, the server's `bind`, that its port has TLS, and `tls.ca-files`"
    }
}

extension RedisError {
    /// The message for people, cut where the remedy begins.
    var advice: (seen: String, remedy: String) {
        let message = userMessage
        if kind == .other { return (message, "look at its log") }
        guard let colon = message.firstRange(of: ": ") else { return (message, "wait, or look at its log") }
        return (String(message[..<colon.lowerBound]), String(message[colon.upperBound...]))
    }
}
