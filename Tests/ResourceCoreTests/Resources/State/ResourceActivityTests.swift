import ResourceDoubles
import HTTPCore
import Locking
import Testing
import TestDoubles

@testable import ResourceCore
@testable import ResourceModel

@Suite("What a resource keeps room for")
struct ResourceActivityTests {
    private func isActive(_ resource: Resource) -> Bool { resource.state.withLock { $0.activity != nil } }

    @Test("a resource that merely holds a response keeps no room for loads, observers or errors")
    func holding() {
        let world = World(store: MemoryVariantStore())
        #expect(!isActive(world.resource()))
        world.get()
        #expect(isActive(world.resource()))
        world.last.answer(200, [("Cache-Control", "max-age=60")], "abc")
        world.runUntilIdle()
        #expect(!isActive(world.resource()) && world.get().text == "abc" && !isActive(world.resource()))
        world.resource().invalidate()
        world.runUntilIdle()
        #expect(!isActive(world.resource()) && world.resource().snapshot.isInvalidated)
    }

    @Test("a remembered failure takes room until the next load succeeds (S-041)")
    func remembering() {
        let world = World()
        let resource = world.resource()
        world.get()
        world.last.fail()
        world.runUntilIdle()
        #expect(isActive(resource) && world.get().failure?.isRemembered == true)
        world.timekeeper.advance(by: .seconds(10))
        world.get()
        world.last.answer(200, [("Cache-Control", "max-age=60")], "abc")
        world.runUntilIdle()
        #expect(!isActive(resource) && resource.latestError == nil)
    }

    @Test("an observer takes room as long as it observes; numbers of events and loads never begin anew (S-212)")
    func observing() {
        let world = World()
        let (resource, owner) = (world.resource(), Owner())
        let recorder = EventRecorder()
        resource.addObserver(recorder, owner: owner)
        world.fill()
        let sequence = resource.snapshot.sequence
        #expect(isActive(resource) && sequence > 0)
        resource.removeObservers(ownedBy: owner)
        world.runUntilIdle()
        #expect(!isActive(resource))
        world.timekeeper.advance(by: .seconds(100))
        world.fill()
        #expect(resource.snapshot.sequence == sequence * 2 && resource.latestResponse?.loadNumber == 2)
        #expect(!isActive(resource))
    }
}
