import HTTPCore
import Testing

@testable import ResourceCore

/// What stays in the table of a program's service.
@Suite("Resources in memory")
struct TableLimitTests {
    @Test("T-233 T-234 T-235 S-224 S-013 one object for a URL, also while nobody holds it")
    func strong() {
        let service = Face.service()
        let id = service.resource("/a").id
        #expect(service.resource("/b").id != id)
        #expect(service.resource("/a").id == id && service.table.count == 2)
    }

    @Test("T-236 T-237 T-192 S-017 S-018 what nobody holds goes with a flush, or when memory is short")
    func flush() {
        let service = Face.service()
        weak var unheld: Resource?
        for end in [service.flushUnusedResources, service.respondToMemoryPressure] {
            let held = service.resource("/held")
            unheld = service.resource("/unheld")
            #expect(unheld != nil)
            let id = unheld?.id
            end()
            #expect(unheld == nil && service.resource("/held") === held)
            #expect(service.resource("/unheld").id != id)
        }
    }

    @Test("S-017 what is held keeps its data through a flush")
    func data() {
        let service = Face.service()
        let held = service.resource("/held")
        held.overrideLocalData([1], fields: Fields())
        service.flushUnusedResources()
        #expect(held.latestResponse != nil && service.resource("/held") === held)
    }

    @Test("S-214 S-215 an observer that is no more keeps nothing")
    func defunct() {
        final class Observer: ResourceObserver {
            func resourceChanged(_ resource: Resource, _ change: ResourceChange) {}
        }
        let service = Face.service()
        var observer: Observer? = Observer()
        if let observer { service.resource("/a").addObserver(observer) }
        service.flushUnusedResources()
        #expect(service.table.count == 1 && observer != nil)
        observer = nil
        service.flushUnusedResources()
        #expect(service.table.count == 0)
    }

    @Test("S-224 after a flush an access holds again")
    func holdsAgain() {
        let service = Face.service()
        var held: Resource? = service.resource("/a")
        let id = held?.id
        service.flushUnusedResources()
        #expect(service.resource("/a") === held)
        held = nil
        #expect(service.table.count == 1 && service.resource("/a").id == id)
        held = service.resource("/a")
        service.flushUnusedResources()
        held = nil
        #expect(service.table.count == 0)
    }

    @Test("T-238 S-016 at the limit one more drops all that are not in use")
    func limit() {
        let service = Face.service(limit: 100)
        for number in 0..<100 { _ = service.resource("/\(number)") }
        #expect(service.table.count == 100)
        _ = service.resource("/7")
        #expect(service.table.count == 100)
        _ = service.resource("/100")
        #expect(service.table.count == 1)
    }

    @Test("T-239 S-016 a lower limit counts at once")
    func lowered() {
        let service = Face.service(limit: 100)
        for number in 0..<90 { _ = service.resource("/\(number)") }
        service.cachedResourceCountLimit = 91
        #expect(service.table.count == 90)
        service.cachedResourceCountLimit = 80
        #expect(service.table.count == 0 && service.cachedResourceCountLimit == 80)
    }

    @Test("T-193 S-016 what is held stays, however many there are")
    func held() {
        let service = Face.service(limit: 10)
        let held = service.resource("/held")
        weak var unheld: Resource?
        unheld = service.resource("/unheld")
        #expect(unheld != nil)
        for number in 0..<9 { _ = service.resource("/\(number)") }
        #expect(unheld == nil && service.resource("/held") === held)
        let many = (0..<50).map { service.resource("/many/\($0)") }
        #expect(service.table.count >= 50)
        for (number, resource) in many.enumerated() { #expect(service.resource("/many/\(number)") === resource) }
    }

    @Test("T-170 T-171 S-215 what is observed stays, and goes once it is not")
    func observed() {
        let service = Face.service()
        let owner = LockedBox(0)
        weak var resource: Resource?
        resource = service.resource("/a").addObserver(owner: owner) { _, _ in }
        service.flushUnusedResources()
        #expect(resource != nil && service.resource("/a") === resource)
        resource?.removeObservers(ownedBy: owner)
        #expect(resource != nil)
        service.flushUnusedResources()
        #expect(resource == nil)
    }

    @Test(
        "S-013 S-015 must-show: the instance that is held or observed is the only one, whatever threads flush and fill"
    )
    func threads() async {
        let service = Face.service(limit: 8)
        let held = (0..<4).map { service.resource("/held/\($0)") }
        let owner = LockedBox(0)
        let ids = (0..<4).map { service.resource("/seen/\($0)").addObserver(owner: owner) { _, _ in }.id }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for round in 0..<300 {
                        _ = service.resource("/\(worker)/\(round)")
                        if round % 16 == worker { service.flushUnusedResources() }
                        let number = round % 4
                        #expect(service.resource("/held/\(number)") === held[number])
                        #expect(service.resource("/seen/\(number)").id == ids[number])
                        let (one, other) = (service.resource("/both"), service.resource("/both"))
                        #expect(one === other)
                    }
                }
            }
        }
        service.flushUnusedResources()
        #expect(service.table.count == 8)
        withExtendedLifetime(owner) {}
    }

    @Test("S-013 threads that ask for a resource which is just ending get one that lives")
    func endings() async {
        let service = Face.service()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<500 {
                        let resource = service.resource("/a")
                        service.flushUnusedResources()
                        #expect(service.resource("/a") === resource)
                    }
                }
            }
        }
        service.flushUnusedResources()
        #expect(service.table.count == 0)
    }

    @Test("S-215 a dropped service lets go of what it held; what the program holds knows a new face of it")
    func dropped() {
        var service: Service? = Face.service()
        weak let unheld = service?.resource("/a")
        let held = service?.resource("/b")
        #expect(unheld != nil)
        service = nil
        #expect(unheld == nil)
        #expect(held?.service.resource("/b") === held)
    }

    @Test("T-211 T-212 T-213 S-019 wiping: all, one, by pattern, by predicate; what is not in use is dropped")
    func wiping() {
        let service = Face.service()
        let (one, other) = (service.resource("/a/1"), service.resource("/b/2"))
        func fill() { for resource in [one, other] { resource.overrideLocalData([1], fields: Fields()) } }
        func full() -> [Bool] { [one, other].map { $0.latestResponse != nil } }
        fill()
        _ = service.resource("/unheld")
        service.wipeResources()
        #expect(full() == [false, false] && service.table.count == 2)
        fill()
        service.wipeResources(matching: one)
        #expect(full() == [false, true])
        fill()
        service.wipeResources(matching: "/a/*")
        #expect(full() == [false, true])
        fill()
        service.wipeResources { $0 === other }
        #expect(full() == [true, false])
        fill()
        service.wipeResources(withURLsMatching: { $0.text.hasSuffix("2") })
        #expect(full() == [true, false])
        service.wipeResources(matching: RegexPattern(/1$/))
        #expect(full() == [false, false])
    }
}
