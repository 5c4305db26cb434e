/// The tier behind memory and store that several nodes share.
public struct SharedSettings: Sendable, Equatable {
    /// The server; nil: there is none, or `cluster` names its nodes.
    public var url: SharedServerURL?
    /// Nodes of a cluster, by which the others are found.
    public var cluster: [SharedServerURL] = []
    public var user: String?
    public var passwordFile: String?
    /// How long a miss waits for the server.
    public var timeout = Duration.milliseconds(50)
    /// Larger responses are not shared.
    public var maxObjectSize = ByteCount.mebibytes(8)
    /// The key by which all nodes name the partitions of credentials; nil: their responses are not shared.
    public var partitionKeyFile: String?

    /// Whether there is a server at all.
    public var isOn: Bool { url != nil || !cluster.isEmpty }
}
