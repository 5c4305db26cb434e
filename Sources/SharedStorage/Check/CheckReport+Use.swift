/// Whether the servers carry out all that nodes ask of them.
extension CheckReport {
    var useFindings: [CheckFinding] {
        guard !answered.isEmpty else { return [] }
        return grouped(rights) + grouped(refusal) + grouped(scripts) + grouped(messages) + grouped(memory)
            + [timing, privacy].compactMap(\.self)
    }

    private func rights(_ node: NodeFacts, _: Greeting) -> CheckFinding {
        let missing = node.missing
        guard !missing.isEmpty else { return .ok("rights", "user \(plan.user) may do all that nodes do") }
        let remedy = "`\(missing.line(for: plan.user))`, and keep it by `ACL SAVE` or in the server's file"
        return .fault("rights", "user \(plan.user) lacks \(missing.text)", remedy)
    }

    private func refusal(_ node: NodeFacts, _: Greeting) -> CheckFinding? {
        node.refusal.map { .fault("writing", $0.advice.seen, $0.advice.remedy) }
    }

    private func scripts(_ node: NodeFacts, _: Greeting) -> CheckFinding? {
        switch node.trial {
        case .untried: nil
        case .worked: .ok("scripts", "a lease, a record and a purge were made, read and deleted")
        case .failed(let reason):
            .fault("scripts", "its scripts do not do as those of Redis: \(reason)", "use Redis 6.2 or later")
        }
    }

    private static let directly = "connect to the server itself, not a proxy"

    private func messages(_ node: NodeFacts, _: Greeting) -> CheckFinding? {
        switch node.messages {
        case .untried: return nil
        case .came: return .ok("messages", "what is published arrives")
        case .lost:
            return .fault("messages", "what is published does not arrive", Self.directly)
        case .refused(let error, _) where error.kind == .noPermission: return nil
        case .refused(let error, let command):
            return .fault("messages", "\(command) is refused: \(error.text)", Self.directly)
        case .failed(let failure):
            return .fault("messages", "no second connection: \(failure.userMessage)", "raise the server's `maxclients`")
        }
    }

    private func memory(_ node: NodeFacts, _: Greeting) -> CheckFinding {
        let best = "`maxmemory-policy volatile-lfu`"
        guard let memory = node.memory else {
            return .note(
                "memory",
                "not known: user \(plan.user) may ask neither INFO nor CONFIG GET, which nodes do not need",
                "see that the server has a `maxmemory` and \(best); `+info` lets this check see it"
            )
        }
        guard memory.limit > 0 else {
            return .note("memory", "no limit: it grows until its machine is full", "set `maxmemory` and \(best)")
        }
        let seen = "\(max(1, memory.limit >> 20)) MiB, \(memory.policy)"
        if memory.policy == "noeviction" {
            return .note("memory", "\(seen): once they are full nothing more is stored", best)
        }
        if memory.policy.hasPrefix("allkeys-") {
            return .note("memory", "\(seen), which may drop the list of purges: nodes then validate all", best)
        }
        return .ok("memory", seen)
    }

    /// The slowest server counts.
    private var timing: CheckFinding? {
        let medians = answered.compactMap { node in node.node.medianRoundTrip.map { (node.node.address, $0) } }
        guard let (address, median) = medians.max(by: { $0.1 < $1.1 }) else { return nil }
        let limit = plan.tier.timeout
        let place = plan.isCluster ? " to \(address)" : ""
        let count = "median of \(NodeCheck.roundTrips)"
        let seen = "\(Self.text(median)) for a round trip\(place) (\(count)); `shared.timeout` is \(Self.text(limit))"
        let remedy = "raise `shared.timeout`, or bring node and server closer together"
        if median > limit { return .fault("time", seen, remedy) }
        return median * 3 > limit ? .note("time", seen, remedy) : .ok("time", seen)
    }

    private var privacy: CheckFinding {
        guard plan.tier.sharesPrivate else {
            return .ok("private", "responses for a credential stay on their node: no `shared.partition-key-file`")
        }
        let seen = "responses for a credential are shared, too, by `shared.partition-key-file`"
        let isSafe = (plan.server.security != nil || plan.isLocal) && plan.server.password != nil
        guard isSafe else {
            return .note("private", "\(seen)", "give the server a password and TLS, and nobody else an account")
        }
        return .ok("private", seen)
    }

    /// `0.21 ms`, `15 ms`.
    static func text(_ time: Duration) -> String {
        let hundredths = Int64((time / .microseconds(10)).rounded())
        guard hundredths < 1_000 else { return "\((hundredths + 50) / 100) ms" }
        let rest = hundredths % 100
        return rest == 0 ? "\(hundredths / 100) ms" : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
    }
}
