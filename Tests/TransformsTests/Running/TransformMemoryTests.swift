import Locking
import Testing

@testable import Transforms

/// The memory that all transformations of whole contents share.
@Suite("Memory of transformations (H-131)") struct TransformMemoryTests {
    private final class Calls: Sendable {
        private let number = Lock(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    @Test("a run begins when there is room for its content, and is woken when another releases some")
    func waiting() {
        let memory = TransformMemory(limit: 3000)
        let calls = Calls()
        var first = memory.share(for: 600) { calls.add() }
        #expect(first != nil && memory.used == 1800)
        #expect(memory.share(for: 600) { calls.add() } == nil)
        #expect(calls.count == 0 && memory.used == 1800 && memory.refused == 0)
        first = nil
        #expect(calls.count == 1 && memory.used == 0)
        let second = memory.share(for: 600) { calls.add() }
        #expect(second != nil && memory.used == 1800 && calls.count == 1)
    }

    @Test("content larger than the limit is transformed when no other run has memory; all memory is released")
    func tooLarge() {
        let memory = TransformMemory(limit: 3000)
        do {
            let small = memory.share(for: 10) {}
            #expect(memory.share(for: 1 << 60) {} == nil && small != nil)
        }
        do {
            let large = memory.share(for: .max) {}
            #expect(large != nil && memory.used == 3000 && memory.share(for: 0) {} != nil)
            #expect(memory.share(for: 1) {} == nil)
        }
        #expect(memory.used == 0)
    }

    @Test("a run with longer content than expected gets free memory, and the only run always gets it")
    func growing() {
        let memory = TransformMemory(limit: 3000)
        let one = memory.share(for: 300) {}
        let other = memory.share(for: 300) {}
        #expect(one?.covers(300) == true && one?.covers(700) == true && memory.used == 3000)
        #expect(other?.covers(301) == false && other?.covers(300) == true && memory.used == 3000)
        let alone = TransformMemory(limit: 3000)
        let only = alone.share(for: nil) {}
        #expect(only?.covers(1 << 20) == true && alone.used >= 3 << 20)
    }

    @Test("a higher limit wakes the runs that wait")
    func limit() {
        let memory = TransformMemory(limit: 30)
        let calls = Calls()
        let first = memory.share(for: 10) {}
        #expect(memory.share(for: 10) { calls.add() } == nil && first != nil)
        memory.limit = 60
        #expect(calls.count == 1)
        #expect(memory.share(for: 10) {} != nil)
    }

    @Test("runs whose contents fit exactly begin together; content of unknown length counts as 256 KiB")
    func exact() {
        let memory = TransformMemory(limit: 3600)
        let shares = [memory.share(for: 600) {}, memory.share(for: 600) {}]
        #expect(shares.allSatisfy { $0 != nil } && memory.used == 3600)
        let unlimited = TransformMemory()
        let unknown = unlimited.share(for: nil) {}
        #expect(unknown != nil && unlimited.used == 3 * 256 * 1024)
    }

    @Test("where there is no limit, contents of any announced length begin together")
    func unlimited() {
        let memory = TransformMemory()
        let shares = [memory.share(for: .max) {}, memory.share(for: .max) {}]
        #expect(shares.allSatisfy { $0 != nil })
    }

    @Test("a lower limit takes no memory away, and lets no run have more")
    func lowered() {
        let memory = TransformMemory(limit: 3000)
        let shares = [memory.share(for: 300) {}, memory.share(for: 300) {}]
        memory.limit = 100
        #expect(memory.limit == 100 && memory.used == 1800)
        #expect(shares[0]?.covers(300) == true && shares[0]?.covers(301) == false)
    }

    @Test("each run that gives up is counted and reported once")
    func refused() {
        let reports = Calls()
        let memory = TransformMemory(limit: 3000) { reports.add() }
        memory.refuse()
        memory.refuse()
        #expect(memory.refused == 2 && reports.count == 2)
    }
}
