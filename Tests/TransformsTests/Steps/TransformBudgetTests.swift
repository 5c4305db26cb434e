import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

@Suite("Working time") struct TransformBudgetTests {
    private let timekeeper = ManualTimekeeper()

    private func reason(_ budget: TransformBudget) -> TransformFailure.Reason? {
        do { try budget.check() } catch { return error.reason }
        return nil
    }

    @Test("only the time in which a worker works counts")
    func workingTime() {
        let timekeeper = timekeeper
        let budget = TransformBudget(limit: .seconds(10)) { timekeeper.now }
        budget.open()
        timekeeper.advance(by: .seconds(6))
        budget.close()
        timekeeper.advance(by: .seconds(60))
        #expect(reason(budget) == nil)
        budget.open()
        timekeeper.advance(by: .seconds(4))
        #expect(reason(budget) == nil)
        timekeeper.advance(by: .nanoseconds(1))
        #expect(reason(budget) == .limit)
        budget.close()
        #expect(reason(budget) == .limit)
    }

    @Test("a run that takes too long learns its limit, and the setting for it")
    func message() {
        let timekeeper = timekeeper
        let budget = TransformBudget(limit: .seconds(10)) { timekeeper.now }
        budget.open()
        timekeeper.advance(by: .seconds(11))
        let failure = #expect(throws: TransformFailure.self) { try budget.check() }
        let message = "the transformation takes longer than 10.0 seconds; see `transform-time`"
        #expect(failure == TransformFailure(.limit, message))
    }

    @Test("a cancelled run fails its next check")
    func cancelled() {
        let budget = TransformBudget()
        #expect(reason(budget) == nil)
        budget.cancel()
        let failure = #expect(throws: TransformFailure.self) { try budget.check() }
        #expect(failure == TransformFailure(.failed, "the result is no longer wanted"))
    }
}
