import TestDoubles
import ResourceDoubles
import HTTPCaching
import HTTPCore
import ResourceCore
import Testing

@Suite struct LookingUpTests {
    @Test("a stored response is served from memory without a request (S-084)")
    func hit() {
        let world = World()
        world.fill()
        let client = world.get()
        #expect(client.isHit)
        #expect(client.text == "abc")
        #expect(world.provider.count == 1)
    }
}
