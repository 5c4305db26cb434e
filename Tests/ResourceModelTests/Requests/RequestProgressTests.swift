import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@testable import Exchanges
@testable import ResourceCore
@testable import ResourceModel

@Suite("When hooks of a request are called, and how often")
struct RequestProgressTests {
    private let world = ProgramWorld()

    @Test("a hook for progress that is attached before the start is told at the interval (S-221)")
    func beforeStart() {
        let request = world.resource().makeRequest(.get) { _ in }
        let log = HookLog(request)
        world.timekeeper.advance(by: .seconds(1))
        world.runUntilIdle()
        #expect(log.progress.value.isEmpty)
        request.start()
        for _ in 0..<2 {
            world.timekeeper.advance(by: .milliseconds(50))
            world.runUntilIdle()
        }
        #expect(log.progress.value.count == 2)
    }

    @Test("waiting begins with the start, not when the request is made (S-222)")
    func waiting() {
        let request = world.resource().makeRequest(.get) { _ in }
        world.timekeeper.advance(by: .seconds(100))
        request.start()
        #expect(request.progress == 0)
        world.timekeeper.advance(by: .milliseconds(2500))
        #expect(abs(request.progress - 0.75 * 0.3 / 1.6) < 1e-9)
    }

    @Test("a hook for progress alone is told of the end, also if it comes later (S-221)")
    func lateHook() {
        let request = world.resource().request(.get)
        world.answer()
        let told = LockedBox<[Double]>([])
        request.onProgress { value in told.change { $0.append(value) } }
        #expect(told.value.isEmpty)
        world.runUntilIdle()
        #expect(told.value == [1])
    }

    @Test("an interval of zero is one of a millisecond, for hooks and for observers (S-221)", arguments: [false, true])
    func shortestInterval(isExchange: Bool) {
        let (other, recorder) = (World(), EventRecorder())
        let service = isExchange ? other.service : world.service
        service.configure { $0.progressReportingInterval = .zero }
        let (timekeeper, resource) = (
            isExchange ? other.timekeeper : world.timekeeper, service.resource(for: World.uri("/a"))
        )
        resource.addObserver(recorder).load()
        func wait(_ duration: Duration) -> Int {
            timekeeper.advance(by: duration)
            world.runUntilIdle()
            return recorder.progress.value.count
        }
        other.runUntilIdle()
        #expect([wait(.microseconds(999)), wait(.microseconds(1)), wait(.milliseconds(1))] == [0, 1, 2])
    }

    @Test("hooks that wait on the shared context go to that of a resource which follows meanwhile (S-124)")
    func movedContext() async {
        let (context, notes) = (world.context, LockedBox<[String]>([]))
        SerialDelivery.shared.submit {
            // Whatever waits on the shared context waits behind this.
            let request = Resource.failedRequest(returning: RequestError(userMessage: "no"))
            request.onCompletion { _ in notes.change { $0.append("hook \(context.isCurrent)") } }
            request.follow(on: context) { _ in
            } then: { _ in
                notes.change { $0.append("resource") }
            }
        }
        for _ in 0..<2 { await SerialDelivery.shared.flush() }
        #expect(notes.value.isEmpty)
        world.runUntilIdle()
        #expect(notes.value == ["hook true", "resource"])
    }

    @Test("a new configuration has no fields, and reports progress twenty times a second (S-221)")
    func defaults() {
        let configuration = world.resource().configuration
        #expect(configuration.progressReportingInterval == .milliseconds(50) && configuration.headers.isEmpty)
        #expect(configuration.values.mutators.isEmpty && configuration.values.decorators.isEmpty)
    }
}
