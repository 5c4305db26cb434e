import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

/// Loads that go on for observers alone.
@Suite("Loads that only observers want") struct ObservedLoadTests {
    private let world = World()
    private var resource: Resource { world.resource() }

    @Test("a load whose client has left goes on before its head while somebody observes, and not longer (H-150, S-212)")
    func lastObserver() {
        let resource = resource
        let (recorder, owners) = (EventRecorder(), [Owner(), Owner()])
        for owner in owners { resource.addObserver(recorder, owner: owner) }
        let client = world.get()
        let exchange = world.last
        client.leave()
        world.runUntilIdle()
        #expect(!exchange.isCancelled && resource.snapshot.isLoading)
        resource.removeObservers(ownedBy: owners[0])
        world.runUntilIdle()
        #expect(!exchange.isCancelled && resource.snapshot.isLoading)
        resource.removeObservers(ownedBy: owners[1])
        world.runUntilIdle()
        #expect(exchange.isCancelled && !resource.snapshot.isLoading && world.provider.count == 1)
        #expect(recorder.events == ["observerAdded", "requested L", "stopped"])
    }

    @Test("a load that a client or the program wants goes on when its last observer is gone", arguments: [true, false])
    func wanted(byClient: Bool) {
        let (resource, recorder) = (resource, EventRecorder())
        resource.addObserver(recorder)
        let client = byClient ? world.get() : nil
        if !byClient { resource.load() }
        world.runUntilIdle()
        resource.removeObservers(ownedBy: recorder)
        world.runUntilIdle()
        #expect(!world.last.isCancelled && resource.snapshot.isLoading)
        world.last.answer(200, [("Cache-Control", "max-age=60")], "abc")
        world.runUntilIdle()
        #expect(resource.latestData?.plainText == "abc" && world.provider.count == 1)
        if let client { #expect(client.text == "abc") }
    }
}
