import Locking
import Testing

@testable import HTTPServer

/// The memory of unfinished request heads (H-132).
@Suite struct HeadBudgetTests {
    private final class Reports: Sendable {
        let count = Lock(0)
    }

    private final class Lab: Sendable {
        let reports = Reports()
        let budget: HeadBudget

        init(limit: Int) { budget = HeadBudget(limit: limit) { [reports] in reports.count.withLock { $0 += 1 } } }

        /// Memory in use, heads refused, and how often that was told.
        var facts: [Int] { [budget.used, budget.refused, reports.count.withLock { $0 }] }
    }

    @Test("heads of up to 4096 bytes may take all of it, to the byte")
    func small() {
        let lab = Lab(limit: 10_000)
        #expect(lab.budget.grow(from: 0, to: 4096) && lab.budget.grow(from: 0, to: 4096))
        #expect(lab.budget.grow(from: 0, to: 1808) && lab.facts == [10_000, 0, 0])
        #expect(!lab.budget.grow(from: 1808, to: 1809) && lab.facts == [10_000, 1, 1])
        #expect(!lab.budget.grow(from: 0, to: 4096) && lab.facts == [10_000, 2, 2])
        lab.budget.leave(1808)
        #expect(lab.facts == [8192, 2, 2])
        #expect(lab.budget.grow(from: 0, to: 1000) && lab.facts == [9192, 2, 2])
    }

    @Test("larger ones may take half of it, to the byte")
    func large() {
        let lab = Lab(limit: 10_000)
        #expect(lab.budget.grow(from: 0, to: 5000) && lab.facts == [5000, 0, 0])
        #expect(!lab.budget.grow(from: 5000, to: 5001) && lab.facts == [5000, 1, 1])
        lab.budget.leave(5000)
        #expect(!lab.budget.grow(from: 0, to: 5001) && lab.facts == [0, 2, 2])
        #expect(lab.budget.grow(from: 0, to: 4096) && lab.budget.grow(from: 0, to: 4096))
        #expect(!lab.budget.grow(from: 4096, to: 4097) && lab.facts == [8192, 3, 3])
    }

    @Test("what does not grow is never refused, also where the limit has become lower")
    func shrinking() {
        let lab = Lab(limit: 10_000)
        #expect(lab.budget.grow(from: 0, to: 4000))
        lab.budget.limit = 100
        #expect(lab.budget.limit == 100)
        #expect(lab.budget.grow(from: 4000, to: 4000) && lab.budget.grow(from: 4000, to: 3999))
        #expect(lab.facts == [3999, 0, 0])
        #expect(!lab.budget.grow(from: 3999, to: 4000) && lab.facts == [3999, 1, 1])
    }
}
