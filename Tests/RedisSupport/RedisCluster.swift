import TestSupport

/// A cluster of three primaries, each with a replica if wanted, on loopback.
public final class RedisCluster: Sendable {
    public let nodes: [RedisProcess]

    /// The primaries' first slots.
    private static let bounds = [0, 5_461, 10_923, 16_384]

    /// - Parameter arguments: further ones of each node.
    public init(replicas: Bool, _ arguments: [String] = []) throws {
        let count = replicas ? 6 : 3
        nodes = try (0..<count).map { _ in
            try RedisProcess(
                .plain,
                [
                    "--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-port",
                    "\(RedisProcess.freePort())", "--repl-diskless-sync-delay", "0",
                    // A replica is listed once something has been replicated.
                    "--repl-ping-replica-period", "1",
                ] + arguments
            )
        }
        try join(replicas: replicas)
    }

    private func join(replicas: Bool) throws {
        for (index, node) in nodes.prefix(3).enumerated() {
            let (first, end) = (Self.bounds[index], Self.bounds[index + 1])
            try node.run("CLUSTER", "ADDSLOTSRANGE", "\(first)", "\(end - 1)")
            try node.run("CLUSTER", "SET-CONFIG-EPOCH", "\(index + 1)")
        }
        let bus = try nodes[0].config("cluster-port")
        for node in nodes.dropFirst() {
            try node.run("CLUSTER", "MEET", "127.0.0.1", "\(nodes[0].port)", bus)
        }
        let count = "\(nodes.count)"
        try wait("each node to know the others", { try $0.info("cluster_known_nodes") }, until: { $0 == count })
        if replicas {
            for (index, node) in nodes.dropFirst(3).enumerated() {
                let primary = try nodes[index].id
                try askAgain(for: "a replica to get its primary") {
                    try node.run("CLUSTER", "REPLICATE", primary)
                } until: {
                    $0 == "+OK"
                }
            }
        }
        try wait("the cluster to be up", { try $0.info("cluster_state") }, until: { $0 == "ok" })
        try wait("each node to list all") {
            try $0.exchange(["CLUSTER", "SLOTS"])
        } until: { map in
            nodes.allSatisfy { map.contains(":\($0.port)\r\n") }
        }
    }

    /// Waits until each node gives a wanted answer.
    private func wait(
        _ what: String,
        _ ask: (RedisProcess) throws -> String,
        until isWanted: (String) -> Bool
    ) throws {
        try askAgain(for: what, { try nodes.map { try ask($0) } }, until: { $0.allSatisfy { isWanted($0) } })
    }

    /// The primary that has a slot at first.
    public func owner(of slot: UInt16) -> Int {
        Self.bounds.dropFirst().firstIndex { Int(slot) < $0 }.map { $0 - 1 } ?? 0
    }
}

extension RedisProcess {
    public var id: String { get throws { try value(["CLUSTER", "MYID"]) } }

    public func config(_ name: String) throws -> String {
        try exchange(["CONFIG", "GET", name]).split(separator: "\r\n").last.map(String.init) ?? ""
    }

    /// A line of CLUSTER INFO.
    public func info(_ name: String) throws -> String {
        let lines = try exchange(["CLUSTER", "INFO"]).split(separator: "\r\n")
        return lines.first { $0.hasPrefix("\(name):") }.map { String($0.dropFirst(name.utf8.count + 1)) } ?? ""
    }

    private func value(_ words: [String]) throws -> String {
        try exchange(words).split(separator: "\r\n").dropFirst().first.map(String.init) ?? ""
    }
}
