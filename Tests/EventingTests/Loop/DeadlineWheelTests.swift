import Testing

@testable import Eventing

/// Coarse deadlines.
@Suite struct DeadlineWheelTests {
    private final class Owner: DeadlineOwner {
        var wheelDeadline: Int64
        init(ticks: Int64) { wheelDeadline = ticks * DeadlineWheel.tick }
        func deadlineDidPass(now: Int64) {}
    }

    private static func at(_ ticks: Int64) -> Int64 { ticks * DeadlineWheel.tick }

    @Test("without owners nothing is due, also after the last has left")
    func empty() {
        var wheel = DeadlineWheel(now: 0)
        #expect(wheel.nextDeadline == nil)
        let index = wheel.insert(Owner(ticks: 5))
        #expect(wheel.nextDeadline != nil)
        wheel.remove(index)
        wheel.remove(index)
        #expect(wheel.nextDeadline == nil && wheel.owner(of: index) == nil && wheel.owner(of: 99) == nil)
        let due = wheel.takeDue(at: Self.at(10))
        #expect(due.isEmpty)
    }

    @Test(
        "each is due in the tick behind its deadline, and the wheel then knows of the next",
        arguments: [1, 63, 64, 65, 700]
    )
    func order(distance: Int64) {
        var wheel = DeadlineWheel(now: Self.at(100))
        let first = wheel.insert(Owner(ticks: 105))
        let second = wheel.insert(Owner(ticks: 105 + distance))
        #expect(wheel.nextDeadline == Self.at(106))
        var due = wheel.takeDue(at: Self.at(106) - 1)
        #expect(due.isEmpty)
        due = wheel.takeDue(at: Self.at(106))
        #expect(due == [first])
        #expect(wheel.nextDeadline == Self.at(106 + distance))
        wheel.remove(first)
        due = wheel.takeDue(at: Self.at(106 + distance))
        #expect(due == [second])
    }

    @Test("a deadline that has become earlier is due earlier; one that has become later, when the old one was")
    func moving() {
        var wheel = DeadlineWheel(now: 0)
        let owner = Owner(ticks: 50)
        let index = wheel.insert(owner)
        owner.wheelDeadline = Self.at(90)
        wheel.lower(index)
        #expect(wheel.nextDeadline == Self.at(51))
        owner.wheelDeadline = Self.at(20)
        wheel.lower(index)
        #expect(wheel.nextDeadline == Self.at(21))
        var due = wheel.takeDue(at: Self.at(21))
        #expect(due == [index])
        owner.wheelDeadline = Self.at(30)
        wheel.reinsert(index)
        #expect(wheel.nextDeadline == Self.at(31))
        due = wheel.takeDue(at: Self.at(31))
        #expect(due == [index])
    }

    @Test("deadlines of one slot are all due together, and what lies beyond the wheel is looked at once around")
    func slots() {
        var wheel = DeadlineWheel(now: 0)
        let indexes = (0..<3).map { _ in wheel.insert(Owner(ticks: 7)) }
        let far = wheel.insert(Owner(ticks: 100_000))
        wheel.remove(indexes[1])
        var due = wheel.takeDue(at: Self.at(500))
        #expect(Set(due) == [indexes[0], indexes[2]])
        for index in [indexes[0], indexes[2]] { wheel.remove(index) }
        #expect(wheel.nextDeadline == Self.at(Int64(DeadlineWheel.slotCount)))
        due = wheel.takeDue(at: Self.at(5000))
        #expect(due == [far])
        // An index that is free is used again.
        wheel.remove(far)
        let again = wheel.insert(Owner(ticks: 6000))
        #expect(again == far && wheel.nextDeadline == Self.at(6001))
    }
}
