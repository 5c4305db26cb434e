/// How TLS is spoken, with origins and with clients.
public struct TLSSettings: Sendable, Equatable {
    /// Files of authorities that are trusted beside the system's.
    public var caFiles: [String] = []
    /// What is shown to clients of `https://` listeners, with its chain.
    public var certificateFile: String?
    public var keyFile: String?
}
