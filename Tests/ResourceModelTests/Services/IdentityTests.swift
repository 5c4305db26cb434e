import ResourceDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

@Suite("Resources and services as keys")
struct IdentityTests {
    @Test("a resource equals itself alone, and can be a key (S-013)")
    func resources() {
        let (one, two) = (ProgramWorld(), ProgramWorld())
        let visits: [Resource: Int] = [one.resource("/a"): 1, one.resource("/b"): 2, two.resource("/a"): 3]
        #expect(visits.count == 3)
        #expect(visits[one.resource("/a")] == 1 && visits[two.resource("/a")] == 3)
        #expect(one.resource("/a") == one.resource("/a") && one.resource("/a") != two.resource("/a"))
    }

    @Test("services of one core are equal and one key; others are not")
    func services() {
        let world = ProgramWorld()
        let again = Service(world.service.core)
        withExtendedLifetime(again) {
            #expect(again !== world.service && again == world.service)
            #expect(Set([world.service, again, ProgramWorld().service]).count == 2)
        }
    }
}
