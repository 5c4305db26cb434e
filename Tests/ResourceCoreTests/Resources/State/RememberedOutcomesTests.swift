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
}
