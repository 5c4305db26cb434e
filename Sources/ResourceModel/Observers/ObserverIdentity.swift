import ResourceCore

/// What makes two observers the same one: an observer is added to a resource once (S-210).
public struct ObserverIdentity: Sendable, Hashable {
    private let value: any Hashable & Sendable

    /// - Parameter value: equal for the same observer; of any type.
    public init(_ value: some Hashable & Sendable) { self.value = value }

    /// An object is itself only.
    public init(_ object: some AnyObject) { value = ObjectIdentifier(object) }

    public static func == (left: ObserverIdentity, right: ObserverIdentity) -> Bool {
        isEqual(left.value, right.value)
    }

    private static func isEqual<Value: Hashable>(_ value: Value, _ other: any Hashable) -> Bool {
        (other as? Value) == value
    }

    public func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
