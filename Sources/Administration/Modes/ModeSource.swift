public import ResourceCore

/// The modes in force as administration shows and changes them; closures are called on any thread.
public struct ModeSource: Sendable {
    /// Of all that have none of their own.
    public var general: @Sendable () -> ServiceMode
    /// The services, each with its own mode if it has one.
    public var services: @Sendable () -> [(name: String, mode: ServiceMode?)]
    /// Puts a mode in force for a service, or in general; false if there is no such service.
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
