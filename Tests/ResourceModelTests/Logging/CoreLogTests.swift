import Configurations
import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

/// Messages of the core that no program causes by a request of its own.
extension LogTests {
    @Test("a request that does not wait, since too many do, is told of, with or without a response (H-134, S-232)")
    func tooManyWait() {
        var configuration = Configuration()
        configuration.waiterLimit = 1
        let world = World(configuration: configuration)
        world.fill("/mark", [("Cache-Control", "max-age=1, stale-if-error=60"), ("ETag", "\"1\"")])
        world.timekeeper.advance(by: .seconds(2))
        withLog([.staleness]) { heard in
            let clients = ["/mark", "/mark", "/mark2", "/mark2"].map { world.get($0) }
            #expect(clients.map(\.answers) == [0, 1, 0, 1])
            let text = "a request more than limits.waiters-per-load allows does not wait for the load"
            #expect(heard.all == ["mark", "mark2"].map { "staleness: http://origin.example/\($0): \(text)" })
        }
    }

    @Test("a reader that goes on by a load of its own is told of, and if that is of no use, why it is cut (S-232)")
    func fallenReader() throws {
        let world = World()
        let client = world.get("/mark", isReading: false)
        world.last.head(200, World.freshPart, length: 10)
        world.runUntilIdle()
        let (response, resource) = (try #require(client.following), world.resource("/mark"))
        let load = Load(
            number: 2,
            sentAt: world.timekeeper.now,
            request: world.last.request,
            owner: ResourceLink(resource),
            provider: world.provider
        )
        let plan = CatchUpPlan(load, response, resource.context)
        let rest = try #require(CatchUpLoad(plan, from: 4, nil))
        withLog([.network]) { heard in
            rest.start()
            world.runUntilIdle()
            let reader = "network: http://origin.example/mark: a reader"
            let begun = "\(reader) fell behind at 4 and goes on by a load of its own"
            #expect(heard.all == [begun] && world.provider.count == 2)
            world.last.head(404, World.freshPart, length: 3)
            #expect(heard.all == [begun, "\(reader) that fell behind at 4 is cut: the origin answered 404"])
        }
    }

    @Test("a response that the origin cuts is told of, with its place and the reason (S-232)")
    func cutResponse() {
        let world = World()
        withLog([.network]) { heard in
            let client = world.get("/mark")
            world.last.head(200, World.freshPart, length: 10)
            world.last.content("0123")
            world.last.fail(.responseIncomplete)
            world.runUntilIdle()
            #expect(heard.all == ["network: http://origin.example/mark: cut at 4, the rest is asked for: scripted"])
            #expect(client.ending == nil && world.provider.count == 2)
        }
    }
}
