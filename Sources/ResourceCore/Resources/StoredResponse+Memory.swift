import HTTPCore
import Locking
public import Stores
import Transforms

/// What a response costs, with the resource that it belongs to.
extension StoredResponse: MemoryEntry {
    /// Bytes of memory, as close to the use of the heap as can be estimated.
    public var cost: Int {
        var bytes = Self.objects + HeapSize.array(prepared.bytes) + HeapSize.array(uri.bytes) + metadata.heapBytes
        switch body {
        case .bytes(let content): bytes += HeapSize.array(content)
        case .file(let joined as JoinedBody): bytes += joined.fileCount * Self.file + Int(joined.memoryCount)
        case .file: bytes += Self.file
        }
        return bytes + extraBytes + (isTagged ? Self.tag * tags.count : 0)
    }

    /// Bytes of this object.
    static let size = 200
    /// Bytes of this object, of the resource with its lock and state, and of their slots elsewhere.
    ///
    /// The table has 20 bytes per slot, three in four taken; the eviction policy has 32, and 4 of which half are taken.
    private static let objects: Int = {
        let allocated = Lock<ResourceState>.allocatedBytes
        return HeapSize.object(size) + HeapSize.object(56 + MemoryLayout<Lock<ResourceState>>.size)
            + (allocated > 0 ? HeapSize.object(allocated) : 0) + 68
    }()
    /// Of one tag in the table's register.
    private static let tag = 200
    /// Of the objects for content in a file.
    private static let file = 240
}
