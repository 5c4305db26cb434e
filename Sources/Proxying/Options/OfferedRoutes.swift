/// The routes that a listener offers, besides the origin of a reverse proxy.
public struct OfferedRoutes: OptionSet, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Absolute-form targets of any origin, and CONNECT.
    public static let forward = OfferedRoutes(rawValue: 1)
    /// `/http://host/…`.
    public static let prefix = OfferedRoutes(rawValue: 2)
    /// `/NAME/…` and `NAME.localhost`.
    public static let services = OfferedRoutes(rawValue: 4)

    public static let all: OfferedRoutes = [.forward, .prefix, .services]
}
