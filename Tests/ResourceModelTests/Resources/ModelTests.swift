import ResourceDoubles
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles
import Testing
import Transforms

@Suite("The model: data, error, loading, events")
struct ModelTests {
    /// Notes the events of a resource with what is seen at them.
    private final class Recorder: ResourceObserver {
        let notes = LockedBox<[String]>([])

        func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
            var flags = change.state.isLoading ? "L" : ""
            if change.state.latestResponse != nil { flags += "D" }
            if change.state.latestError != nil { flags += "E" }
            notes.change { $0.append("\(change.event.text) \(flags)") }
        }

        func stoppedObserving(_ resource: Resource) { notes.change { $0.append("stopped") } }
    }

    @Test("a new resource has no data, no error and nothing loading (S-069, T-001)")
    func new() {
        let resource = World().resource()
        #expect(resource.latestResponse == nil && resource.latestError == nil && !resource.isLoading)
        #expect(resource.timestamp == .epoch && !resource.isUpToDate)
    }

    @Test("a load: requested while loading, then data (T-004, T-005, T-158, T-159)")
    func load() {
        let world = World()
        let resource = world.resource()
        let recorder = Recorder()
        resource.addObserver(recorder)
        let request = resource.load()
        #expect(resource.isLoading)
        world.runUntilIdle()
        world.last.answer(200, [], "abc")
        world.runUntilIdle()
        #expect(recorder.notes.value == ["observerAdded ", "requested L", "newData(network) D"])
        #expect(!resource.isLoading && request.isCompleted)
        guard case .bytes(let bytes)? = resource.latestResponse?.body else { return #expect(Bool(false)) }
        #expect(bytes == Array("abc".utf8))
    }

    @Test("a status from 400 on is an error (T-015, T-164)", arguments: [400, 404, 410, 500, 503, 505] as [UInt16])
    func status(status: UInt16) {
        let world = World()
        let resource = world.resource()
        let recorder = Recorder()
        resource.addObserver(recorder)
        resource.load()
        world.runUntilIdle()
        world.last.answer(status, [], "no")
        world.runUntilIdle()
        #expect(resource.latestResponse == nil && resource.latestFailure?.status == status)
        #expect(recorder.notes.value.suffix(2) == ["requested L", "error E"])
    }

    @Test("a 304 keeps the data, freshened (T-011, T-013, T-161)")
    func notModified() {
        let world = World()
        let resource = world.resource()
        resource.load()
        world.runUntilIdle()
        world.last.answer(200, [("ETag", "\"v1\"")], "abc")
        world.runUntilIdle()
        let recorder = Recorder()
        resource.addObserver(recorder)
        world.timekeeper.advance(by: .seconds(5))
        let request = resource.load()
        world.runUntilIdle()
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\"")
        world.last.answer(304)
        world.runUntilIdle()
        #expect(recorder.notes.value.suffix(2) == ["requested LD", "notModified D"])
        #expect(resource.timestamp == world.timekeeper.timestamp)
        #expect(request.result?.isNew == false && request.result?.response.error == nil)
    }

    @Test("loadIfNeeded: starts, joins, has nothing to do, starts again (T-020, T-021, T-023, T-024)")
    func loadIfNeeded() {
        let world = World()
        let resource = world.resource()
        let first = resource.loadIfNeeded()
        #expect(first != nil && resource.loadIfNeeded() === first)
        world.runUntilIdle()
        world.last.answer(200, [], "abc")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(30))
        #expect(resource.loadIfNeeded() == nil)
        world.timekeeper.advance(by: .nanoseconds(1))
        #expect(resource.loadIfNeeded() != nil)
    }

    @Test("loadIfNeeded joins a client's load for everybody, not one with a credential")
    func joinsSharedLoadsOnly() {
        let world = World()
        world.get("/a", [("Authorization", "Bearer sesame")])
        let request = world.resource().loadIfNeeded()
        world.runUntilIdle()
        #expect(request != nil && world.provider.count == 2)
        #expect(world.last.value(of: .authorization) == nil)
        world.get("/b")
        #expect(world.resource("/b").loadIfNeeded() != nil)
        world.runUntilIdle()
        #expect(world.provider.count == 3)
    }

    @Test("retries wait for the retry time, unless the data was invalidated since (T-025, T-026, T-037, T-039)")
    func retries() {
        let world = World()
        let resource = world.resource()
        func fail() {
            world.runUntilIdle()
            world.last.fail()
            world.runUntilIdle()
        }
        resource.load()
        fail()
        world.timekeeper.advance(by: .seconds(1))
        #expect(resource.loadIfNeeded() == nil)
        world.timekeeper.advance(by: .nanoseconds(1))
        #expect(resource.loadIfNeeded() != nil)
        fail()
        resource.invalidate()
        #expect(resource.loadIfNeeded() != nil)
        fail()
        #expect(resource.loadIfNeeded() == nil)
    }

    @Test("a cancelled load changes nothing and says so (T-018, T-041, T-163)")
    func cancelled() {
        let world = World()
        let resource = world.resource()
        let recorder = Recorder()
        resource.addObserver(recorder)
        let request = resource.load()
        world.runUntilIdle()
        resource.removeObservers(ownedBy: world.context)
        request.cancel()
        #expect(recorder.notes.value.contains("requested L"))
        #expect(request.result?.response.isCancellation == true)
        #expect(resource.latestError == nil && resource.latestResponse == nil)
    }

    @Test("loadIfNeeded looks into the store first and tells the events of what it finds (T-128, T-130, T-126)")
    func lookUpEvents() {
        let world = World(store: MemoryVariantStore(isImmediate: false))
        let resource = world.resource()
        let recorder = Recorder()
        resource.addObserver(recorder)
        let request = resource.loadIfNeeded()
        #expect(resource.isLoading)
        world.store?.run()
        world.runUntilIdle()
        world.last.answer(200, [], "abc")
        world.runUntilIdle()
        #expect(recorder.notes.value == ["observerAdded ", "requested L", "newData(network) D"])
        #expect(request?.result?.isNew == true && request?.result?.response.error == nil)
    }

    @Test("an override is one event; S-203 a wipe is one event (T-160)")
    func localEvents() {
        let world = World()
        let resource = world.resource()
        let recorder = Recorder()
        resource.addObserver(recorder)
        resource.overrideLocalData([1], fields: Fields())
        resource.wipe()
        #expect(recorder.notes.value == ["observerAdded ", "newData(localOverride) D", "newData(wipe) "])
    }

    @Test("durable is told once the store has committed")
    func durable() {
        let world = World(store: MemoryVariantStore(isImmediate: false))
        let resource = world.resource()
        let recorder = Recorder()
        resource.addObserver(recorder)
        world.store?.run()
        world.get()
        world.last.answer(200, [("Cache-Control", "max-age=60")], "abc")
        world.runUntilIdle()
        #expect(recorder.notes.value.last == "newData(network) D")
        world.store?.run()
        #expect(recorder.notes.value.last == "durable D")
    }

    // MARK: Observers

    @Test("an observer is added once, and alone learns that (T-154, T-167, S-210)")
    func addedOnce() {
        let resource = World().resource()
        let (one, two) = (Recorder(), Recorder())
        resource.addObserver(one).addObserver(two)
        resource.addObserver(one)
        #expect(one.notes.value == ["observerAdded "] && two.notes.value == ["observerAdded "])
    }

    @Test("an observer observes until its last owner is gone, then learns that (T-155, T-168, T-169)")
    func owners() {
        let resource = World().resource()
        let recorder = Recorder()
        let owners = [LockedBox(1), LockedBox(2)]
        resource.addObserver(recorder)
        for owner in owners { resource.addObserver(recorder, owner: owner) }
        resource.removeObservers(ownedBy: recorder)
        resource.removeObservers(ownedBy: owners[0])
        resource.overrideLocalData([1], fields: Fields())
        #expect(recorder.notes.value.last == "newData(localOverride) D")
        resource.removeObservers(ownedBy: owners[1])
        resource.wipe()
        #expect(recorder.notes.value.last == "stopped")
    }

    @Test("an observer that owns itself is not kept alive (T-156, S-211)")
    func weaklyHeld() {
        let world = World()
        let resource = world.resource()
        weak var gone: Recorder?
        do {
            let recorder = Recorder()
            gone = recorder
            resource.addObserver(recorder)
        }
        #expect(gone == nil)
        resource.overrideLocalData([1], fields: Fields())
    }

    @Test("the next look at a load's progress ends observations whose owner is gone, though nothing has come (S-214)")
    func ownerGoneAmidLoad() {
        let world = World()
        let recorder = EventRecorder()
        let resource = world.resource()
        do {
            let owner = Owner()
            resource.addObserver(recorder, owner: owner)
            resource.load()
            world.runUntilIdle()
            world.last.head(200, [("Cache-Control", "max-age=60")], length: 6)
            world.last.content("abc")
            world.timekeeper.advance(by: .seconds(1))
            world.runUntilIdle()
        }
        #expect(recorder.progress.value.count == 1)
        #expect(recorder.notes.value == ["observerAdded", "requested L"])
        world.timekeeper.advance(by: .seconds(1))
        world.runUntilIdle()
        #expect(recorder.progress.value.count == 1)
        #expect(recorder.notes.value == ["observerAdded", "requested L", "stopped"])
    }

    @Test("a closure with an owner sees every event (T-166)")
    func closure() {
        let resource = World().resource()
        let owner = LockedBox(0)
        let seen = LockedBox<[ResourceEvent]>([])
        resource.addObserver(owner: owner) { _, change in seen.change { $0.append(change.event) } }
        resource.overrideLocalData([1], fields: Fields())
        #expect(seen.value == [.observerAdded, .newData(.localOverride)])
    }

    @Test("an event caused inside an observer comes after the present one, to all, in order (S-216)")
    func nested() {
        let resource = World().resource()
        let owner = LockedBox(0)
        let seen = LockedBox<[String]>([])
        resource.addObserver(owner: owner) { resource, change in
            seen.change { $0.append("a\(change.sequence)") }
            if change.event == .newData(.localOverride) { resource.wipe() }
        }
        resource.addObserver(owner: owner) { _, change in seen.change { $0.append("b\(change.sequence)") } }
        resource.overrideLocalData([1], fields: Fields())
        #expect(seen.value == ["a0", "b0", "a1", "b1", "a2", "b2"])
    }

    // MARK: The table's subscribers

    @Test("a slow subscriber of the table gets a gap mark, not memory (H-134)")
    func gaps() {
        let world = World()
        let context = ManualContext()
        let seen = LockedBox<[String]>([])
        let subscription = world.table.addObserver(context: context, bound: 3) { events in
            for event in events {
                switch event {
                case .change(let number, let change): seen.change { $0.append("\(number) \(change.event.text)") }
                case .gap(let missed): seen.change { $0.append("gap \(missed)") }
                }
            }
        }
        for _ in 0..<5 { world.resource().overrideLocalData([1], fields: Fields()) }
        context.run()
        world.resource().wipe()
        context.run()
        let event = "newData(localOverride)"
        #expect(seen.value == ["1 \(event)", "2 \(event)", "3 \(event)", "gap 2", "6 newData(wipe)"])
        subscription.cancel()
        world.resource().overrideLocalData([1], fields: Fields())
        context.run()
        #expect(seen.value.count == 5)
    }
}
