/// Turns credentials into names of partitions, so that no credential is ever stored (C-20.1).
public protocol PartitionHasher: AnyObject, Sendable {
    /// A keyed hash of `credentials`, 32 bytes; equal only for equal bytes. MUST be HMAC-SHA-256 or as strong, under a
    /// key of this store alone.
    func hash(_ credentials: [UInt8]) -> [UInt8]
}
