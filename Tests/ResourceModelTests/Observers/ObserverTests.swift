import ResourceDoubles
import HTTPCore
import Testing
import TestDoubles

@testable import ResourceCore
@testable import ResourceModel

@Suite("Observers of a resource that a program loads")
struct ObserverTests {
    private let world = ProgramWorld()
    private var resource: Resource { world.resource() }

    @Test("only the new observer hears observerAdded, inside the call (T-154, S-207)")
    func added() {
        let (first, second) = (EventRecorder(), EventRecorder())
        resource.addObserver(first)
        resource.addObserver(second)
        #expect(first.events == ["observerAdded"] && second.events == ["observerAdded"])
    }

    @Test("a removed observer hears that it stopped, the others nothing (T-155, S-212, S-213)")
    func removed() {
        let (first, second, owner) = (EventRecorder(), EventRecorder(), Owner())
        resource.addObserver(first, owner: owner).addObserver(second)
        resource.removeObservers(ownedBy: owner)
        resource.removeObservers(ownedBy: nil)
        world.runUntilIdle()
        #expect(first.events == ["observerAdded", "stopped"] && second.events == ["observerAdded"])
    }

    @Test("an observer that owns itself is not kept, and hears nothing at its end (T-156, S-213)")
    func selfOwned() {
        let notes = LockedBox<[String]>([])
        var recorder: EventRecorder? = EventRecorder()
        let events = recorder!.notes
        weak let gone = recorder
        resource.addObserver(recorder!)
        recorder = nil
        #expect(gone == nil)
        resource.overrideLocalContent("abc")
        world.runUntilIdle()
        #expect(events.value == ["observerAdded"] && notes.value.isEmpty)
    }

    @Test("observers can be added one after another in one expression (T-157, S-205)")
    func chained() {
        let (first, second) = (EventRecorder(), EventRecorder())
        #expect(resource.addObserver(first).addObserver(second) === resource)
        #expect(first.events == ["observerAdded"] && second.events == ["observerAdded"])
    }

    @Test("requested shows that it loads, newData that there is data (T-158, T-159, S-209, S-095)")
    func load() {
        let recorder = EventRecorder()
        resource.addObserver(recorder).load()
        world.runUntilIdle()
        #expect(recorder.events == ["observerAdded", "requested L"])
        #expect(resource.isLoading && resource.latestData == nil && resource.latestError == nil)
        world.answer(200, [], "abc")
        #expect(recorder.events == ["observerAdded", "requested L", "newData(network) D"])
        #expect(recorder.states.value.last?.latestData?.plainText == "abc")
        #expect(recorder.states.value.map(\.isLoading) == [false, true, false])
        #expect(recorder.states.value.allSatisfy { $0.latestError == nil })
    }

    @Test("a local change is one event (T-160, S-199, S-208)")
    func override() {
        let recorder = EventRecorder()
        let thing = Entity(content: 7, contentType: "application/x-number")
        resource.addObserver(recorder).overrideLocalData(thing)
        world.runUntilIdle()
        #expect(recorder.events == ["observerAdded", "newData(localOverride) D"])
        #expect(recorder.states.value.last?.latestData?.content as? Int == 7)
        #expect(recorder.states.value.last?.latestData?.contentType == "application/x-number")
    }

    @Test("a 304 is requested, then notModified (T-161, S-097, S-208)")
    func notModified() {
        resource.load()
        world.answer(200, [("ETag", "\"v1\"")], "abc")
        let recorder = EventRecorder()
        resource.addObserver(recorder).load()
        world.answer(304)
        #expect(recorder.events == ["observerAdded D", "requested LD", "notModified D"])
    }

    @Test("a 304 without data is an error of its own (T-162, S-098)")
    func notModifiedWithoutData() {
        let recorder = EventRecorder()
        resource.addObserver(recorder).load()
        world.answer(304)
        #expect(recorder.events == ["observerAdded", "requested L", "error E"])
        #expect(resource.latestError?.cause is RequestError.Cause.NoLocalDataFor304)
    }

    @Test("a cancelled load is requested, then requestCancelled (T-163, S-100, S-208)")
    func cancelled() {
        let recorder = EventRecorder()
        let request = resource.addObserver(recorder).load()
        request.cancel()
        world.runUntilIdle()
        #expect(recorder.events == ["observerAdded", "requested L", "requestCancelled"])
    }

    @Test("a failed load is requested, then error (T-164, S-099, S-209)")
    func failed() {
        let recorder = EventRecorder()
        resource.addObserver(recorder).load()
        world.answer(500)
        #expect(recorder.events == ["observerAdded", "requested L", "error E"])
        let last = recorder.states.value.last
        #expect(last?.latestData == nil && last?.latestError?.httpStatusCode == 500 && last?.isLoading == false)
    }

    @Test("a plain request is no event (T-165, S-217)")
    func plainRequest() {
        let recorder = EventRecorder()
        resource.addObserver(recorder).request(.get)
        world.answer(200, [], "abc")
        #expect(recorder.events == ["observerAdded"])
    }

    @Test("a closure with an owner hears everything (T-166, S-205, S-208)")
    func closure() {
        let (owner, notes) = (Owner(), LockedBox<[ResourceEvent]>([]))
        resource.addObserver(owner: owner) { _, change in notes.change { $0.append(change.event) } }
        resource.load()
        world.answer()
        #expect(notes.value == [.observerAdded, .requested, .newData(.network)])
    }

    @Test("an object that is added three times is one observer (T-167, S-210)")
    func addedThrice() {
        let recorder = EventRecorder()
        resource.addObserver(recorder).addObserver(recorder).addObserver(recorder).load()
        world.answer()
        #expect(recorder.events == ["observerAdded", "requested L", "newData(network) D"])
    }

    @Test("values are added each time, unless they have the same identity (S-210)")
    func values() {
        let owner = Owner()
        let (plain, one, two) = (
            ValueRecorder(), ValueRecorder(observerIdentity: ObserverIdentity("me")),
            ValueRecorder(observerIdentity: ObserverIdentity("me"))
        )
        resource.addObserver(plain, owner: owner).addObserver(plain, owner: owner)
        resource.addObserver(one, owner: owner).addObserver(two, owner: owner)
        resource.overrideLocalContent("abc")
        world.runUntilIdle()
        let event = "newData(localOverride)"
        #expect(plain.events.value == ["observerAdded", "observerAdded", event, event])
        #expect(one.events.value == ["observerAdded", event] && two.events.value.isEmpty)
    }

    @Test("an observer observes until the last of its owners is taken away (T-168, T-169, S-211, S-213)")
    func owners() {
        let (recorder, owners) = (EventRecorder(), [Owner(), Owner()])
        resource.addObserver(recorder)
        for owner in owners { resource.addObserver(recorder, owner: owner) }
        resource.removeObservers(ownedBy: recorder)
        resource.removeObservers(ownedBy: owners[0])
        resource.overrideLocalContent("abc")
        world.runUntilIdle()
        #expect(recorder.events.last == "newData(localOverride) D")
        resource.removeObservers(ownedBy: owners[1])
        resource.load()
        world.answer()
        #expect(recorder.events.last == "stopped")
    }

    @Test("an observer is kept while it has an owner other than itself, and no longer (S-211)")
    func kept() {
        var (recorder, owner): (EventRecorder?, Owner?) = (EventRecorder(), Owner())
        weak let weakly = recorder
        resource.addObserver(recorder!).addObserver(recorder!, owner: owner!)
        recorder = nil
        #expect(weakly != nil)
        owner = nil
        resource.overrideLocalContent("abc")
        world.runUntilIdle()
        #expect(weakly == nil)
    }

    @Test("the death of an owner ends the observation before the next event (S-213, S-214)")
    func ownerDies() {
        let recorder = EventRecorder()
        var owner: Owner? = Owner()
        resource.addObserver(recorder, owner: owner!)
        owner = nil
        resource.overrideLocalContent("abc")
        world.runUntilIdle()
        #expect(recorder.events == ["observerAdded", "stopped"])
    }

    @Test("a flush leaves an observed resource, and takes one whose observer went (T-170, T-171, S-215, S-015)")
    func flush() {
        let owner = Owner()
        weak var resource: Resource?
        do {
            let made = world.resource("/held")
            made.addObserver(owner: owner) { _, _ in }
            resource = made
        }
        world.service.table.flushUnused()
        #expect(resource != nil && resource === world.resource("/held"))
        resource?.removeObservers(ownedBy: owner)
        world.runUntilIdle()
        world.service.table.flushUnused()
        #expect(resource == nil)
    }

    @Test("an external owner that is taken away and comes back keeps the observer again (T-172, S-211)")
    func ownerComesBack() {
        var recorder: EventRecorder? = EventRecorder()
        let owner = Owner()
        weak var (resource, weakly): (Resource?, EventRecorder?)
        do {
            let made = world.resource("/held")
            made.addObserver(recorder!).addObserver(recorder!, owner: owner)
            made.removeObservers(ownedBy: owner)
            made.addObserver(recorder!, owner: owner)
            (resource, weakly) = (made, recorder)
        }
        recorder = nil
        world.service.table.flushUnused()
        #expect(resource != nil && weakly != nil)
    }

    @Test("who is taken away and added again hears the pair, in order, whatever else it was to be told (S-213, S-216)")
    func comesBack() {
        let (recorder, other) = (EventRecorder(), EventRecorder())
        resource.addObserver(recorder).addObserver(other)
        for _ in 0..<2 {
            resource.removeObservers(ownedBy: recorder)
            resource.addObserver(recorder)
        }
        #expect(recorder.events == ["observerAdded", "stopped", "observerAdded", "stopped", "observerAdded"])
        resource.overrideLocalContent("abc")
        resource.removeObservers(ownedBy: recorder)
        resource.addObserver(recorder)
        world.runUntilIdle()
        resource.wipe()
        world.runUntilIdle()
        let event = "newData(localOverride) D"
        #expect(recorder.events.dropFirst(5) == [event, "stopped", "observerAdded D", "newData(wipe)"])
        #expect(other.events == ["observerAdded", event, "newData(wipe)"])
    }

    @Test(
        "a flush right behind the removal of the last observer takes the resource, once all is told (T-171, S-215, S-015)"
    )
    func flushAtOnce() {
        let (owner, recorder) = (Owner(), EventRecorder())
        weak var resource: Resource?
        do {
            let made = world.resource("/held")
            made.addObserver(recorder, owner: owner)
            made.overrideLocalContent("abc")
            made.removeObservers(ownedBy: owner)
            resource = made
        }
        world.service.flushUnusedResources()
        world.runUntilIdle()
        #expect(recorder.events == ["observerAdded", "newData(localOverride) D", "stopped"] && resource == nil)
    }

    @Test("a load does not keep an observer that owns itself (T-173, S-211, S-214)")
    func observerDiesDuringLoad() {
        var recorder: EventRecorder? = EventRecorder()
        let events = recorder!.notes
        weak let weakly = recorder
        resource.addObserver(recorder!).load()
        world.runUntilIdle()
        recorder = nil
        #expect(weakly == nil)
        world.answer(200, [], "abc")
        #expect(events.value == ["observerAdded", "requested L"] && resource.latestData != nil)
    }

    @Test("several observers through load, removal and wipe (T-248, S-210, S-208, S-203)")
    func all() {
        let (one, two, owners, notes) = (
            EventRecorder(), EventRecorder(), [Owner(), Owner(), Owner()], LockedBox<[ResourceEvent]>([])
        )
        resource.addObserver(one).addObserver(one).addObserver(one, owner: owners[0])
        resource.addObserver(two, owner: owners[1])
        resource.addObserver(owner: owners[2]) { _, change in notes.change { $0.append(change.event) } }
        resource.load()
        world.answer(200, [], "abc")
        resource.removeObservers(ownedBy: owners[1])
        resource.wipe()
        world.runUntilIdle()
        let common = ["observerAdded", "requested L", "newData(network) D"]
        #expect(one.events == common + ["newData(wipe)"] && two.events == common + ["stopped"])
        #expect(notes.value == [.observerAdded, .requested, .newData(.network), .newData(.wipe)])
    }

    @Test("who is added or removed while an event is told does not change who hears that event (S-216)")
    func changedDuringEvent() {
        let (owner, late, notes) = (Owner(), EventRecorder(), LockedBox<[String]>([]))
        resource.addObserver(owner: owner) { resource, change in
            notes.change { $0.append("first \(change.event.text)") }
            guard change.event == .newData(.localOverride) else { return }
            resource.addObserver(late)
            resource.removeObservers(ownedBy: owner)
        }
        resource.addObserver(owner: owner) { _, change in notes.change { $0.append("second \(change.event.text)") } }
        resource.overrideLocalContent("abc")
        world.runUntilIdle()
        let event = "newData(localOverride)"
        #expect(notes.value == ["first observerAdded", "second observerAdded", "first \(event)", "second \(event)"])
        #expect(late.events == ["observerAdded D"])
    }

    @Test("observers hear of a load's progress, and of 1 before it ends, however it does (S-219, S-221)")
    func progress() {
        let recorder = EventRecorder()
        resource.addObserver(recorder).load()
        world.networking.last.metrics.change { metrics in
            metrics.responseBytesReceived = 500
            metrics.responseBytesTotal = 1000
        }
        world.timekeeper.advance(by: .milliseconds(50))
        world.runUntilIdle()
        #expect(recorder.progress.value.count == 1 && recorder.progress.value[0] > 0 && recorder.progress.value[0] < 1)
        world.answer(500)
        #expect(recorder.notes.value.suffix(2) == ["progress 1", "error E"])
        let request = resource.load()
        request.cancel()
        world.runUntilIdle()
        #expect(recorder.notes.value.suffix(2) == ["progress 1", "requestCancelled E"])
    }

    @Test("a load's progress ends observations whose owner is gone (S-214)")
    func ownerGoneAmidLoad() {
        let recorder = EventRecorder()
        do {
            let owner = Owner()
            resource.addObserver(recorder, owner: owner).load()
            world.runUntilIdle()
        }
        #expect(recorder.notes.value == ["observerAdded", "requested L"])
        world.timekeeper.advance(by: .milliseconds(50))
        world.runUntilIdle()
        #expect(recorder.notes.value == ["observerAdded", "requested L", "stopped"])
        #expect(recorder.progress.value.isEmpty && resource.isLoading)
    }

    @Test("an observer hears of nothing before it hears that it was added (S-207)")
    func introduction() {
        let recorder = Impatient()
        resource.addObserver(recorder)
        world.runUntilIdle()
        #expect(recorder.notes.value == ["observerAdded begins", "observerAdded ends", "newData(localOverride)"])
    }

    /// Has something happen, and told, while it is being added.
    private final class Impatient: ResourceObserver {
        let notes = LockedBox<[String]>([])

        func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
            guard change.event == .observerAdded else { return notes.change { $0.append(change.event.text) } }
            notes.change { $0.append("observerAdded begins") }
            resource.overrideLocalContent("abc")
            (resource.core.delivery as? ManualContext)?.run()
            notes.change { $0.append("observerAdded ends") }
        }
    }

    @Test("a slow observer delays nobody's state, neither of its resource nor of others")
    func slow() {
        let other = world.resource("/other")
        let owner = Owner()
        let states = LockedBox<[String]>([])
        let (world, networking) = (world, world.networking)
        resource.addObserver(owner: owner) { resource, change in
            guard change.event == .newData(.localOverride) else { return }
            // While this takes its time, answers come in on another thread.
            networking.exchanges[0].answer(200, [], "a")
            networking.exchanges[1].answer(200, [], "b")
            world.workers.run()
            states.change { $0 = [resource.latestData?.plainText ?? "", other.latestData?.plainText ?? ""] }
        }
        resource.load()
        other.load()
        resource.overrideLocalContent("local")
        world.runUntilIdle()
        #expect(states.value == ["a", "b"])
    }

    // MARK: Sequences

    @Test("events are a sequence of changes, which ends with the task and keeps no resource then")
    func sequence() async {
        let service = ProgramWorld().service
        let resource = service.resource(for: World.uri("/a"))
        var seen: [String] = []
        for await change in resource.events {
            seen.append("\(change.event.text) \(change.state.flags)")
            switch seen.count {
            case 1: resource.overrideLocalContent("abc")
            case 2: resource.wipe()
            default: break
            }
            (service.core.delivery as? ManualContext)?.run()
            if seen.count == 3 { break }
        }
        #expect(seen == ["observerAdded ", "newData(localOverride) D", "newData(wipe) "])
    }

    @Test("of a sequence that waits for the latest only, what came before is left out")
    func latestOnly() async {
        var events = resource.events(buffering: .latest).makeAsyncIterator()
        for number in 0..<5 { resource.overrideLocalContent("\(number)") }
        world.runUntilIdle()
        let change = await events.next()
        #expect(change?.sequence == 5 && change?.state.latestData?.plainText == "4")
    }

    @Test("a sequence that nobody reads any more observes no more")
    func droppedSequence() {
        weak var resource: Resource?
        do {
            let made = world.resource("/held")
            resource = made
            let events = made.events
            withExtendedLifetime(events) { world.service.table.flushUnused() }
            #expect(resource != nil)
        }
        world.runUntilIdle()
        world.service.table.flushUnused()
        #expect(resource == nil)
    }
}
