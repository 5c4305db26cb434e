import Locking
import Testing

/// Which resources have which tags, and which tags were purged.
@Suite("Tag register") struct TagRegisterTests {
    @Test("a resource is found by its present tags alone, and by none once it has ended")
    func resources() {
        let register = TagRegister()
        register.note([1, 2], of: 10, 100)
        register.note([2], of: 11, 110)
        #expect(register.resources(with: [1]) == [10: 100])
        #expect(register.resources(with: [1, 2, 3]) == [10: 100, 11: 110])
        register.note([3], of: 10, 100)
        #expect(register.resources(with: [1]).isEmpty && register.resources(with: [3]) == [10: 100])
        register.forget(10)
        register.forget(11)
        register.forget(12)
        #expect(register.count == 0)
    }

    @Test("what was asked for before a purge is purged; what came later, or has other tags, is not")
    func purges() {
        let register = TagRegister()
        let before = register.purgeCount
        register.notePurge(of: [1])
        let after = register.purgeCount
        #expect(register.isPurged([2, 1], since: before))
        #expect(!register.isPurged([1], since: after) && !register.isPurged([2], since: before))
        #expect(!register.isPurged([], since: before))
        register.notePurge(of: [3])
        #expect(!register.isPurged([1], since: after) && register.isPurged([3], since: after))
    }

    @Test("of very many purges the oldest are forgotten, and what is older than those counts as purged")
    func forgotten() {
        let register = TagRegister()
        let before = register.purgeCount
        for tag in 0..<10_000 as Range<UInt64> { register.notePurge(of: [tag]) }
        let now = register.purgeCount
        #expect(register.isPurged([0], since: before) && register.isPurged([20_000], since: before))
        #expect(!register.isPurged([9_999], since: now) && register.isPurged([9_999], since: now - 1))
        #expect(!register.isPurged([9_998], since: now - 1))
    }
}
