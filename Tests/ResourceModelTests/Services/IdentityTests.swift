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

    @Test("what differs has different hashes, so that sets and dictionaries are quick")
    func hashes() {
        let world = ProgramWorld()
        let resources = (0..<10).map { world.resource("/\($0)") }
        #expect(Set(resources.map(\.hashValue)).count == 10)
        let worlds = (0..<10).map { _ in ProgramWorld() }
        #expect(Set(worlds.map(\.service.hashValue)).count == 10)
        let (one, other) = (EventRecorder(), EventRecorder())
        let identities = [ObserverIdentity("me"), ObserverIdentity(7), ObserverIdentity(one), ObserverIdentity(other)]
        #expect(Set(identities.map(\.hashValue)).count == 4)
        #expect(identities[0] == ObserverIdentity("me") && identities[2] == ObserverIdentity(one))
        #expect(identities[0] != identities[1] && identities[2] != identities[3])
    }
}

@Suite("Names of partitions within a program")
struct PartitionNameTests {
    @Test("credentials have names of 32 bytes, which are the same each time, and differ in all parts")
    func names() {
        let hasher = CoreEnvironment.program.hasher
        let names = (0..<200).map { hasher.hash(Array("credential \($0)".utf8)) }
        #expect(names.allSatisfy { $0.count == 32 } && Set(names).count == 200)
        #expect(hasher.hash(Array("credential 7".utf8)) == names[7])
        let parts = names.flatMap { name in (0..<4).map { Array(name[$0 * 8..<$0 * 8 + 8]) } }
        #expect(Set(parts).count == 800)
        // Each byte takes many values.
        for index in 0..<32 { #expect(Set(names.map { $0[index] }).count > 50) }
    }
}
