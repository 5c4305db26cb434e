import Testing

@testable import Administration

/// How many rows a walk over the store asks for at a time.
@Suite struct WalkStepTests {
    @Test(
        "a walk asks for the rows of a page at first, up to 500",
        arguments: [(0, 1), (1, 1), (7, 7), (499, 499), (500, 500), (501, 500), (.max, 500)]
    )
    func first(limit: Int, rows: Int) {
        #expect(WalkStep(for: limit).rows == rows)
    }

    @Test("without a page it asks for 500")
    func usual() {
        #expect(WalkStep().rows == 500)
    }

    @Test("where few of the rows are wanted it asks for twice as many next, up to 16,000; else for 500 again")
    func next() {
        var step = WalkStep()
        var rows: [Int] = []
        for _ in 0..<7 {
            step = step.next(afterFinding: step.rows / 8 - 1)
            rows.append(step.rows)
        }
        #expect(rows == [1000, 2000, 4000, 8000, 16_000, 16_000, 16_000])
        #expect(step.next(afterFinding: 2000).rows == 500 && step.next(afterFinding: 1999).rows == 16_000)
        #expect(WalkStep(for: 80).next(afterFinding: 10).rows == 80)
        #expect(WalkStep(for: 80).next(afterFinding: 9).rows == 160)
    }
}
