public import Configurations

/// How the admin API shows and changes modes; closures are called on any thread.
public struct ModeSource: Sendable {
    /// The mode of everything without its own mode.
    public var general: @Sendable () -> ServiceMode
    /// The services, each with its own mode if it has one.
    public var services: @Sendable () -> [(name: String, mode: ServiceMode?)]
    /// Sets the mode of a service, or the general one; returns false if there is no such service.
    public var choose: @Sendable (_ mode: ServiceMode, _ service: String?) -> Bool

    public init(
        general: @escaping @Sendable () -> ServiceMode,
        services: @escaping @Sendable () -> [(name: String, mode: ServiceMode?)],
        choose: @escaping @Sendable (_ mode: ServiceMode, _ service: String?) -> Bool
    ) {
        self.general = general
        self.services = services
        self.choose = choose
    }
}
