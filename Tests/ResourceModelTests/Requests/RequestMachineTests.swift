import TestDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

/// The state of a request as a value, event by event.
@Suite("The machine of a request")
struct RequestMachineTests {
    private static let success = ResponseInfo(
        response: .success(Entity<any Sendable>(content: "abc", contentType: "text/plain"))
    )

    private var started: RequestMachine {
        var machine = RequestMachine(delivery: nil)
        _ = machine.start()
        _ = machine.didStart()
        return machine
    }

    // MARK: Life

    @Test("a request is started once, and not after its end")
    func starting() {
        var machine = RequestMachine(delivery: nil)
        #expect(machine.state == .notStarted && !machine.isStarted && machine.progress == 0)
        #expect(machine.start() && machine.state == .inProgress && !machine.start())
        let isToCancel = machine.didStart()
        #expect(!isToCancel)
        var known = RequestMachine(delivery: nil, result: Self.success)
        #expect(known.state == .completed && known.progress == 1 && !known.start())
        #expect(RequestMachine(delivery: nil, isStarted: true).state == .inProgress)
    }

    @Test("a cancellation ends the operation, but not during the start; what is complete stays so (S-129)")
    func cancelling() {
        var machine = RequestMachine(delivery: nil)
        #expect(machine.start() && machine.cancel(because: nil) == .waitForStart)
        #expect(machine.didStart() && machine.isCancelled && machine.state == .completed)
        #expect(machine.cancel(because: nil) == .nothing)
        var running = started
        #expect(running.cancel(because: nil) == .cancelDelegate && running.result?.response.isCancellation == true)
        var complete = started
        #expect(complete.receive(Self.success) == .accepted)
        #expect(complete.cancel(because: nil) == .nothing && !complete.isCancelled)
    }

    @Test("the first result counts; one after a cancellation is told from one that is too late")
    func receiving() {
        var machine = started
        #expect(machine.receive(Self.success) == .accepted && machine.receive(.cancellation()) == .tooLate)
        #expect(machine.result?.response.isCancellation == false)
        var cancelled = started
        _ = cancelled.cancel(because: nil)
        #expect(cancelled.receive(Self.success) == .afterCancellation)
    }

    // MARK: Progress

    @Test(
        "progress is between 0 and 1 and never falls; what is unknown counts only at the beginning (S-220)",
        arguments: [
            ([0.5], 0.5), ([0.5, 0.3], 0.5), ([0.5, 0.7], 0.7), ([-1], 0), ([2], 1), ([0.5, .nan], 0.5),
            ([.nan, 0.2], 0.2), ([.nan, 0.5, .nan, 0.4], 0.5),
        ] as [([Double], Double)]
    )
    func progress(values: [Double], expected: Double) {
        var machine = started
        for value in values { machine.note(progress: value) }
        #expect(machine.progress == expected)
        #expect(machine.receive(Self.success) == .accepted && machine.progress == 1)
        machine.note(progress: 0.1)
        #expect(machine.progress == 1)
    }

    @Test("hooks are told of progress that has changed, at the end of 1, and later ones of 1 at once (S-221)")
    func reports() {
        var machine = started
        let told = LockedBox<[Double]>([])
        func drain() {
            guard machine.beginDraining() else { return }
            let context = ManualContext()
            while let calls = machine.takeCalls(on: context) { for call in calls { call() } }
        }
        machine.attach(progress: { value in told.change { $0.append(value) } })
        for value in [0, 0.25, 0.25, 0.1, 0.5] {
            machine.note(progress: value)
            machine.reportProgress()
            drain()
        }
        #expect(told.value == [0.25, 0.5])
        _ = machine.receive(Self.success)
        machine.reportProgress()
        #expect(machine.beginDraining() == false)
        machine.didNotifyFollowers()
        drain()
        machine.attach(progress: { value in told.change { $0.append(value + 1) } })
        drain()
        #expect(told.value == [0.25, 0.5, 1, 2])
    }

    @Test("a timer is needed once at a time, while the request runs and has hooks for progress")
    func timer() {
        var machine = RequestMachine(delivery: nil)
        #expect(machine.needsTimer() == false)
        machine.attach(progress: { _ in })
        #expect(!machine.needsTimer() && machine.start())
        #expect(machine.needsTimer() && machine.hasTimer && !machine.needsTimer())
        machine.timerDidFire()
        #expect(machine.needsTimer() == true)
        machine.timerDidFire()
        _ = machine.receive(Self.success)
        var bare = started
        #expect(!machine.needsTimer() && !bare.needsTimer())
    }

    // MARK: Hooks

    @Test("hooks before a first resource that follows are not awaited, nor abandoned ones; at last none is (S-124)")
    func awaited() {
        var machine = started
        #expect(!machine.isAwaited)
        machine.attach(.completion { _ in })
        #expect(machine.isAwaited)
        machine.attach(.following(ended: { _ in }, { _ in }))
        #expect(!machine.isAwaited)
        machine.attach(.success { _ in })
        #expect(machine.isAwaited)
        machine.abandonHook()
        #expect(!machine.isAwaited)
        machine.attach(.failure { _ in })
        #expect(machine.isAwaited)
        _ = machine.receive(Self.success)
        #expect(!machine.isAwaited)
    }

    @Test("a resource that follows behind other hooks learns at once that the request has ended, and the result later")
    func following() {
        var machine = started
        let told = LockedBox<[String]>([])
        @Sendable func note(_ text: String) { told.change { $0.append(text) } }
        machine.attach(.following(ended: { _ in note("never") }, { _ in note("first") }))
        machine.attach(.completion { _ in note("hook") })
        machine.attach(.following(ended: { note("ended \($0)") }, { _ in note("second") }))
        _ = machine.cancel(because: nil)
        for call in machine.takeCallsAtOnce() { call() }
        #expect(told.value == ["first", "ended true"] && machine.takeCallsAtOnce().isEmpty)
        machine.didNotifyFollowers()
        #expect(machine.beginDraining() && !machine.beginDraining())
        for call in machine.takeCalls(on: ManualContext()) ?? [] { call() }
        #expect(told.value == ["first", "ended true", "hook", "second"])
    }
}
