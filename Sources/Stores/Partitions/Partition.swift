/// Whose responses a partition contains (C-20.1): everybody's, or those of one credential.
public enum Partition: Sendable, Hashable {
    case shared
    /// A keyed hash of credential fields, or of values that a rule adds to the key.
    case credential([UInt8])
}
