import ResourceCore

/// Decides whether two observers are the same one: an observer is added to a resource once (S-210).
public struct ObserverIdentity: Sendable, Hashable {
    private let value: any Hashable & Sendable

    /// - Parameter value: of any type; equal for the same observer.
    public init(_ value: some Hashable & Sendable) { self.value = value }

    /// The identity of an object: it equals only that of itself.
    public init(_ object: some AnyObject) { value = ObjectIdentifier(object) }

    public static func == (left: ObserverIdentity, right: ObserverIdentity) -> Bool {
        isEqual(left.value, right.value)
    }

    private static func isEqual<Value: Hashable>(_ value: Value, _ other: any Hashable) -> Bool {
        (other as? Value) == value
    }

    public func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
