import CLinux

/// The memory of this process.
public enum ProcessMemory {
    /// Makes the allocator keep little memory besides what is in use; without effect on other allocators than glibc's.
    ///
    /// It uses one arena for two processors, instead of eight for each: an arena cannot use memory that another has
    /// freed. If connections reach one loop after the other, that would be a third of all memory. Large allocations are
    /// mapped one by one, so that each returns to the system.
    ///
    /// Call it only in a program of our own, before it starts threads.
    public static func configure() {
        respite_limit_heap(Int32(clamping: max(1, ProcessContext.processorCount / 2)), 256 << 10, 1 << 20)
    }

    /// Returns freed memory to the system, as far as the allocator can.
    public static func trim() { respite_trim_heap() }

    /// Does the same, and drops the pages of code that only the start ran; takes a millisecond.
    public static func trimAfterStart() {
        trim()
        CodePages.release()
    }
}
