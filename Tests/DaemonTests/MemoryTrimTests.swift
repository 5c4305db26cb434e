@testable import Daemon
import Testing

@Suite("When memory is given back to the system")
struct MemoryTrimTests {
    private static let mebibyte = 1 << 20

    @Test("after a fall by a quarter and 32 MiB, once")
    func fall() {
        var fall = MemoryFall()
        let used = [0, 100, 200, 151, 150, 150, 118, 117, 90, 90]
        #expect(
            used.map { fall.isDue($0 * Self.mebibyte) } == [
                false, false, false, false, true, false, false, false, true, false,
            ]
        )
    }

    @Test("not for what eviction makes room for, nor for little")
    func little() {
        var fall = MemoryFall()
        #expect(![1000, 995, 1000, 990, 1000].contains { fall.isDue($0 * Self.mebibyte) })
        var small = MemoryFall()
        #expect(![31, 0, 20, 0].contains { small.isDue($0 * Self.mebibyte) })
    }
}
