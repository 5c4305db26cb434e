public import ResourceCore

/// A resource equals only itself: there is one for each URL of a service (S-013).
extension Resource: Hashable {
    public static func == (left: Resource, right: Resource) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Services are equal if they have the same resources.
///
/// `Resource.service` may return a new object for a service that the program has dropped; it equals the former.
extension Service: Hashable {
    public static func == (left: Service, right: Service) -> Bool { left.core === right.core }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(core)) }
}
