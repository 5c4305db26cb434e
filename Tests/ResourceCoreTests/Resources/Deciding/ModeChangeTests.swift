import Configurations
import HTTPCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import Testing

/// The origin is asked no more while requests are under way.
@Suite("Modes that change amid a load") struct ModeChangeTests {
    private static let tagged = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]

    private static func staleWorld() -> World {
        let world = World()
        world.fill("/a", tagged)
        world.timekeeper.advance(by: .seconds(61))
        return world
    }

    @Test("a completion that fails is no reason to ask anew (C-25.2)", arguments: [ServiceMode.offline, .replay])
    func completion(mode: ServiceMode) {
        let world = World()
        world.fillPart(0..<4)
        let client = world.get()
        world.service.configuration.mode = mode
        world.last.head(206, [("ETag", "\"v2\""), ("Content-Range", "bytes 4-9/10")], length: 6)
        world.runUntilIdle()
        #expect(world.provider.count == 2 && world.last.isCancelled)
        #expect(client.refusal?.rawValue == mode.rawValue && !world.resource().isLoading)
    }

    @Test("nor is a 304 about something else: what is held serves, and a program's request fails (C-25.2)")
    func notModified() {
        let world = Self.staleWorld()
        let client = world.get()
        let request = world.resource().load()
        world.runUntilIdle()
        #expect(world.provider.count == 3)
        let asked = world.provider.exchanges
        world.service.configuration.mode = .offline
        for exchange in asked.dropFirst() { exchange.answer(304, [("ETag", "\"v9\"")]) }
        world.runUntilIdle()
        #expect(world.provider.count == asked.count && !world.resource().isLoading)
        #expect(client.text == "abc" && client.outcome?.detail == "offline")
        #expect(request.isCompleted)
    }

    @Test("nor is being sent from load to load too often (C-25.2)")
    func moved() {
        let world = Self.staleWorld()
        let clients = (0..<6).map { _ in world.get("/a", [("Cookie", "id=0")]) }
        let personal = [("ETag", "\"v1\""), ("Cache-Control", "max-age=0"), ("Set-Cookie", "id=1")]
        for round in 0..<4 {
            if round == 3 { world.service.configuration.mode = .offline }
            world.last.answer(304, personal)
            world.runUntilIdle()
        }
        #expect(world.provider.count == 5)
        #expect(clients.allSatisfy { $0.text == "abc" })
        #expect(clients.count { $0.outcome?.detail == "offline" } == 2)
    }

    @Test("observers hear of a last 1, and that the load was cancelled which the mode ends (C-25.2, S-209, S-219)")
    func observed() {
        let world = Self.staleWorld()
        let observer = EventRecorder()
        world.resource().addObserver(observer)
        let client = world.get()
        world.service.configuration.mode = .offline
        world.last.answer(304, [("ETag", "\"v9\"")])
        world.runUntilIdle()
        #expect(client.text == "abc")
        #expect(
            observer.notes.value == ["observerAdded D", "requested LD", "progress 1", "requestCancelled D"]
        )
    }
}
