/// How TLS is spoken with origins.
public struct TLSSettings: Sendable, Equatable {
    /// Files of authorities that are trusted beside the system's.
    public var caFiles: [String] = []
}
