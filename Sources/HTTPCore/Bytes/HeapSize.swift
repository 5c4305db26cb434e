/// What things take of the C library's heap, for who charges memory.
///
/// glibc's rules: a header of 8 bytes, sizes in steps of 16, 32 at least.
public enum HeapSize {
    /// Of an allocation of `bytes`.
    public static func object(_ bytes: Int) -> Int { max(32, (bytes + 23) & ~15) }

    /// Of an array with room for what it has room for; what its elements refer to not counted.
    public static func array<Element>(_ array: [Element]) -> Int {
        array.capacity == 0 ? 0 : object(32 + array.capacity * MemoryLayout<Element>.stride)
    }
}
