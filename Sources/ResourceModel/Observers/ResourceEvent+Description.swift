public import ResourceCore

/// The name in event streams, such as `newData(network)`.
extension ResourceEvent: CustomStringConvertible {
    public var description: String { text }
}

extension ResourceEvent.Source: CustomStringConvertible {
    public var description: String { rawValue }
}
