/// The memory that allocations take from the C library's heap, for code that counts memory.
///
/// Computed by glibc's rules: a header of 8 bytes, sizes in steps of 16, at least 32.
public enum HeapSize {
    /// The size of an allocation of `bytes`.
    public static func object(_ bytes: Int) -> Int { max(32, (bytes + 23) & ~15) }

    /// The size of an array's storage, spare capacity included, but not of objects that its elements refer to.
    public static func array<Element>(_ array: [Element]) -> Int {
        array.capacity == 0 ? 0 : object(32 + array.capacity * MemoryLayout<Element>.stride)
    }
}
