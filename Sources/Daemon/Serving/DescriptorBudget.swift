/// How many connections the process has descriptors for.
struct DescriptorBudget: Sendable {
    /// What the process may have open.
    let descriptors: Int

    /// An eighth is for origins, files, the store and administration.
    private var reserve: Int { max(64, descriptors / 8) }

    /// Connections of clients.
    var clientConnections: Int { max(16, descriptors - reserve) }

    /// Connections to one origin: none may use up what others and the store need.
    var connectionsPerOrigin: Int { max(16, reserve / 2) }

    /// Look-ups of names at once, each of which may take a socket for each name server.
    var nameLookUps: Int { min(512, max(16, reserve / 4)) }
}
