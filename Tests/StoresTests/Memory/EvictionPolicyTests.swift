import Stores
import Testing

/// What an eviction policy sees.
@Suite struct EvictionPolicyTests {
    /// An entry that says nothing of files.
    private final class Entry: MemoryEntry {
        var cost: Int { 1 }
        var identity: UInt64 { 1 }
        func takeUses() -> Int { 0 }
    }

    @Test("an entry keeps no file open unless it says so")
    func descriptorCount() {
        #expect(Entry().descriptorCount == 0)
    }
}
