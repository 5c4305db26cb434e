import Testing

@testable import ResourceCore

@Suite struct HitCountTests {
    @Test("all hits are counted; the eviction policy sees those since it last asked, three at most")
    func counts() {
        let hits = HitCount()
        #expect(hits.all == 0 && hits.takeUnseen() == 0)
        for _ in 0..<2 { hits.add() }
        #expect(hits.takeUnseen() == 2 && hits.takeUnseen() == 0)
        for _ in 0..<100 { hits.add() }
        #expect(hits.all == 102 && hits.takeUnseen() == 3 && hits.all == 102)
    }

    @Test("a response that replaces another goes on with its hits", arguments: [true, false])
    func continues(isSame: Bool) {
        let old = HitCount()
        let new = HitCount()
        for _ in 0..<5 { old.add() }
        new.set(to: old, unseen: isSame)
        #expect(new.all == 5 && new.takeUnseen() == (isSame ? 3 : 0))
    }
}
