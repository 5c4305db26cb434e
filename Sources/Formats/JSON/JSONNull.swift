/// The value `null` within a JSON object or array.
public struct JSONNull: Sendable, Hashable, CustomStringConvertible {
    public init() {}

    public var description: String { "null" }
}
