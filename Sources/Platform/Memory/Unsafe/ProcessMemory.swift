import CLinux
import Glibc

/// The memory of this process.
public enum ProcessMemory {
    // Constants of <malloc.h>.
    private static let trimThreshold: Int32 = -1
    private static let mappingThreshold: Int32 = -3
    private static let arenaLimit: Int32 = -8

    /// Makes the allocator keep little memory besides what is in use.
    ///
    /// It uses one arena for two processors, instead of eight for each: an arena cannot use memory that another has
    /// freed. If connections reach one loop after the other, that would be a third of all memory. Large allocations are
    /// mapped one by one, so that each returns to the system.
    ///
    /// Call it only in a program of our own, before it starts threads.
    public static func configure() {
        _ = mallopt(arenaLimit, Int32(clamping: max(1, ProcessContext.processorCount / 2)))
        _ = mallopt(mappingThreshold, 256 << 10)
        _ = mallopt(trimThreshold, 1 << 20)
    }

    /// Returns freed memory to the system, as far as the allocator can.
    public static func trim() { _ = malloc_trim(0) }

    /// Does the same, and drops the pages of code that only the start ran; takes a millisecond.
    public static func trimAfterStart() {
        trim()
        CodePages.release()
    }
}
