/// Whether servers let this node in, and are of the kind that it needs.
extension CheckReport {
    var accessFindings: [CheckFinding] {
        guard !answered.isEmpty else { return [] }
        let versions = grouped { _, greeting in .ok("version", "Redis \(greeting.version)") }
        return [transportFinding, loginFinding] + versions + (plan.isCluster ? [] : grouped(role))
    }

    private var transportFinding: CheckFinding {
        if plan.server.security != nil { return .ok("TLS", "the certificate is right") }
        guard !plan.isLocal else { return .ok("TLS", "none, and none needed: the server is on this machine") }
        return .note(
            "TLS",
            "none: the password and all responses pass as plain text",
            "`rediss://` in `\(plan.setting)`, if the server has a port with TLS"
        )
    }

    private var loginFinding: CheckFinding {
        let server = plan.server
        if server.password != nil { return .ok("login", "user \(plan.user) is let in") }
        if server.user != nil {
            let seen = "user default: without a password `shared.user` has no effect"
            return .note("login", seen, "name a file with the user's password by `shared.password-file`")
        }
        let isSocket = plan.addresses.allSatisfy { if case .socket = $0 { true } else { false } }
        if isSocket { return .ok("login", "no password is asked for; who may open the socket is let in") }
        return .note(
            "login",
            "no password is asked for: who reaches the server may change what all nodes serve",
            "give the server a user with a password, and name them by `shared.user` and `shared.password-file`"
        )
    }

    private func role(_ node: NodeFacts, _ greeting: Greeting) -> CheckFinding {
        if greeting.isReplica {
            let seen = "the server is a replica\(node.primary.map { " of \($0)" } ?? ""), and takes no writes"
            return .fault("role", seen, "name \(node.primary ?? "its primary") by `shared.url`")
        }
        guard greeting.isClustered else { return .ok("role", "a primary, and no node of a cluster") }
        return .fault("role", "the server belongs to a cluster", "name its nodes by `shared.cluster`, not `shared.url`")
    }
}
