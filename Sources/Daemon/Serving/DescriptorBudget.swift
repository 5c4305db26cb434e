/// Divides the process's file descriptors among connections.
struct DescriptorBudget: Sendable {
    /// The most descriptors that the process may have open.
    let descriptors: Int

    /// The descriptors for origins, files, the store and the admin API: an eighth.
    private var reserve: Int { max(64, descriptors / 8) }

    /// The most client connections.
    var clientConnections: Int { max(16, descriptors - reserve) }

    /// The most connections to one origin, so that no origin uses up the descriptors of others and the store.
    var connectionsPerOrigin: Int { reserve / 2 }

    /// The most name look-ups at a time; each may use a socket per name server.
    var nameLookUps: Int { min(512, reserve / 4) }
}
