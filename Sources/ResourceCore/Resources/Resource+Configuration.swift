public import HTTPCore
package import Stores

/// Exactly this resource's URI (S-066).
extension Resource: ConfigurationPattern {
    public var patternDescription: String { uri.text }

    public func matcher(base: TargetURI?) -> @Sendable (TargetURI) -> Bool { uri.matcher(base: base) }
}

extension Resource {
    /// The partition of responses for everybody.
    package var commonPartition: Partition { configuration(for: .get).anonymousPartitions.common }
}
