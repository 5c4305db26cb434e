import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

@Suite("Observers that are gone, and sequences that end")
struct ObserverEndTests {
    private let world = ProgramWorld()
    private var resource: Resource { world.resource() }

    @Test("an observer whose owner is gone, and that is added again, is told of both (S-207, S-213, S-214)")
    func addedAnew() {
        let (resource, recorder, second) = (resource, EventRecorder(), Owner())
        do {
            let first = Owner()
            resource.addObserver(recorder, owner: first)
        }
        resource.addObserver(recorder, owner: second)
        world.runUntilIdle()
        #expect(recorder.events == ["observerAdded", "stopped", "observerAdded"])
        withExtendedLifetime(second) {}
    }

    @Test("an object that is gone is no observer for which a load goes on (S-105, S-211)")
    func goneObject() {
        let resource = resource
        do {
            let recorder = EventRecorder()
            resource.addObserver(recorder)
        }
        let request = resource.load()
        resource.cancelLoadIfUnobserved()
        #expect(request.result?.response.isCancellation == true && !resource.isLoading)
    }

    // MARK: Sequences

    @Test(
        "a sequence keeps as many of the newest events as it was made for, at least one (S-206)",
        arguments: [
            (.newest(9), [0, 1, 2, 3, 4, 5]), (.newest(3), [3, 4, 5]), (.newest(1), [5]), (.newest(0), [5]),
            (.newest(-7), [5]), (.latest, [5]),
        ] as [(ResourceChanges.Buffering, [UInt64])]
    )
    func buffering(buffering: ResourceChanges.Buffering, numbers: [UInt64]) async {
        let resource = resource
        var events = resource.events(buffering: buffering).makeAsyncIterator()
        for number in 1...5 { resource.overrideLocalContent("\(number)") }
        world.runUntilIdle()
        var seen: [UInt64] = []
        while seen.count < numbers.count, let change = await events.next() { seen.append(change.sequence) }
        #expect(seen == numbers)
    }

    @Test("unless it says otherwise, a sequence keeps 256 events (S-206)")
    func usualBuffering() async {
        let resource = resource
        var events = resource.events.makeAsyncIterator()
        for number in 1...300 { resource.overrideLocalContent("\(number)") }
        world.runUntilIdle()
        #expect(await events.next()?.sequence == 45)
    }

    @Test("a sequence ends once its resource is gone with the service (S-206)")
    func goneResource() async {
        var events = ProgramWorld().resource().events.makeAsyncIterator()
        var seen: [ResourceEvent] = []
        while let change = await events.next() { seen.append(change.event) }
        #expect(seen == [.observerAdded])
    }
}
