import ResourceCore
import ResourceDoubles
import TestDoubles
import Testing

/// Failures that a resource remembers.
@Suite struct RememberedOutcomesTests {
    @Test("a resource remembers the failures of sixteen partitions: with one more the oldest is forgotten")
    func limit() {
        let world = World()
        func get(_ user: Int) -> Client { world.get("/a", [("Authorization", "Basic \(user)")]) }
        for user in 0...16 {
            _ = get(user)
            world.last.fail()
            world.runUntilIdle()
        }
        #expect((1...16).allSatisfy { get($0).failure?.isRemembered == true } && world.provider.count == 17)
        #expect(get(0).failure == nil && world.provider.count == 18)
    }

    @Test("a failure that comes again takes no place of another partition's")
    func again() {
        let world = World()
        func fail(_ user: Int, _ pause: Int) {
            _ = world.get("/a", [("Authorization", "Basic \(user)")])
            world.last.head(503, [("Retry-After", "\(pause)")], length: 0)
            world.last.end()
            world.runUntilIdle()
        }
        for user in 0..<15 { fail(user, 3600) }
        for _ in 0..<3 {
            fail(15, 1)
            world.timekeeper.advance(by: .seconds(2))
        }
        #expect(world.provider.count == 18)
        for user in 0..<15 { _ = world.get("/a", [("Authorization", "Basic \(user)")]) }
        #expect(world.provider.count == 18)
    }
}
