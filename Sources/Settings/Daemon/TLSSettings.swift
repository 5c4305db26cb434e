/// TLS with origins and with clients.
public struct TLSSettings: Sendable, Equatable {
    /// Files of CAs that are trusted besides the system's.
    public var caFiles: [String] = []
    /// The certificate of `https://` listeners, with its chain.
    public var certificateFile: String?
    public var keyFile: String?
}
