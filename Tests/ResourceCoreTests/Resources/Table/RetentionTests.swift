import ResourceDoubles
import Testing

@testable import ResourceCore

@Suite("Why the table keeps a resource")
struct RetentionTests {
    @Test(
        "a table that drops what is unused keeps what loads, is observed or has data, while the service is in use",
        arguments: [
            (.use, true, .retain), (.data, true, .retain), (.owner, true, .release), (.nothing, true, .leave),
            (.use, false, .release), (.data, false, .release), (.owner, false, .release), (.nothing, false, .leave),
        ] as [(ResourceNeed, Bool, Retention.Decision)]
    )
    func dropping(_ need: ResourceNeed, _ isServiceInUse: Bool, _ expected: Retention.Decision) {
        #expect(Retention.decision(for: need, isServiceInUse: isServiceInUse, keepsUnused: false) == expected)
    }

    @Test(
        "a table that keeps what is unused until a flush retains what is used, and leaves all else as it is",
        arguments: [
            (.use, true, .retain), (.data, true, .keep), (.owner, true, .keep), (.nothing, true, .keep),
            (.use, false, .release), (.data, false, .release), (.owner, false, .release), (.nothing, false, .release),
        ] as [(ResourceNeed, Bool, Retention.Decision)]
    )
    func keeping(_ need: ResourceNeed, _ isServiceInUse: Bool, _ expected: Retention.Decision) {
        #expect(Retention.decision(for: need, isServiceInUse: isServiceInUse, keepsUnused: true) == expected)
    }

    @Test("what came of a load that was cut needs its resource until it is kept (C-22.1)")
    func partToKeep() {
        var state = ResourceState(looksUp: false)
        #expect(state.need == .nothing)
        state.ongoing.partsToKeep = 1
        #expect(state.need == .use)
    }

    @Test("a service that comes back has the table keep the resource that brought it back")
    func comingBack() throws {
        var resource: Resource?
        do {
            let world = World()
            world.fill()
            resource = world.resource()
        }
        let service = try #require(resource?.service)
        weak let kept = resource
        resource = nil
        #expect(kept?.latestResponse?.status == 200)
        #expect(service.table.find(World.uri("/a")) === kept)
    }
}
