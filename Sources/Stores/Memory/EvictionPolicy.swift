/// Decides what leaves memory when it is full; the daemon uses S3-FIFO by bytes.
///
/// Called under no lock of the core.
public protocol EvictionPolicy: AnyObject, Sendable {
    /// `entry` was stored in memory; returns the entries that must leave now.
    func didStore(_ entry: any MemoryEntry) -> [any MemoryEntry]
    /// `entry` left memory for another reason (replaced, wiped).
    func didRemove(_ entry: any MemoryEntry)
}

/// What an eviction policy sees of an entry in memory.
public protocol MemoryEntry: AnyObject, Sendable {
    /// Bytes charged: content, head and overhead.
    var cost: Int { get }
    /// How many files it keeps open.
    var descriptorCount: Int { get }
    /// A hash of URI, partition and selection, by which the policy remembers an entry that left.
    var identity: UInt64 { get }
    /// How often it was used since the last call, at most 3; a hit notes a use with one relaxed store.
    func takeUses() -> Int
}

extension MemoryEntry {
    public var descriptorCount: Int { 0 }
}
