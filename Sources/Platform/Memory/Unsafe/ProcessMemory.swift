import CLinux
import Glibc

/// The memory of this process.
public enum ProcessMemory {
    // The numbers of <malloc.h>.
    private static let trimThreshold: Int32 = -1
    private static let mappingThreshold: Int32 = -3
    private static let arenaLimit: Int32 = -8

    /// Has the allocator keep little besides what is in use.
    ///
    /// One arena for two processors, instead of eight for each: an arena does not use what another has freed. Where
    /// connections come to one loop and then to the next, that would be a third of all memory. Large allocations are mapped
    /// one by one, so that the system gets each back.
    ///
    /// For a process of our own, before it starts threads.
    public static func configure() {
        _ = mallopt(arenaLimit, Int32(clamping: max(1, ProcessContext.processorCount / 2)))
        _ = mallopt(mappingThreshold, 256 << 10)
        _ = mallopt(trimThreshold, 1 << 20)
    }

    /// Returns freed memory to the system, as far as the allocator can.
    public static func trim() { _ = malloc_trim(0) }

    /// The same, and also returns the pages of code that only the start ran; takes a millisecond.
    public static func trimAfterStart() {
        trim()
        CodePages.release()
    }
}
