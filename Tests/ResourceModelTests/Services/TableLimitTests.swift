import TestDoubles
import HTTPCore
import Testing

@testable import ResourceCore
@testable import ResourceModel

/// What stays in the table of a program's service.
@Suite("Resources in memory")
struct TableLimitTests {
    @Test("one object for a URL, also while nobody holds it (T-233, T-234, T-235, S-224, S-013)")
    func strong() {
        let service = TestService.service()
        let id = service.resource("/a").id
        #expect(service.resource("/b").id != id)
        #expect(service.resource("/a").id == id && service.table.count == 2)
    }

    @Test("what nobody holds goes with a flush, or when memory is short (T-236, T-237, T-192, S-017, S-018)")
    func flush() {
        let service = TestService.service()
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

    @Test("what is held keeps its data through a flush (S-017)")
    func data() {
        let service = TestService.service()
        let held = service.resource("/held")
        held.overrideLocalData([1], fields: Fields())
        service.flushUnusedResources()
        #expect(held.latestResponse != nil && service.resource("/held") === held)
    }

    @Test("an observer that is no more keeps nothing (S-214, S-215)")
    func defunct() {
        final class Observer: ResourceObserver {
            func resourceChanged(_ resource: Resource, _ change: ResourceChange) {}
        }
        let service = TestService.service()
        var observer: Observer? = Observer()
        if let observer { service.resource("/a").addObserver(observer) }
        service.flushUnusedResources()
        #expect(service.table.count == 1 && observer != nil)
        observer = nil
        service.flushUnusedResources()
        #expect(service.table.count == 0)
    }

    @Test("after a flush an access holds again (S-224)")
    func holdsAgain() {
        let service = TestService.service()
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

    @Test("at the limit one more drops all that are not in use (T-238, S-016)")
    func limit() {
        let service = TestService.service(limit: 100)
        for number in 0..<100 { _ = service.resource("/\(number)") }
        #expect(service.table.count == 100)
        _ = service.resource("/7")
        #expect(service.table.count == 100)
        _ = service.resource("/100")
        #expect(service.table.count == 1)
    }

    @Test("a lower limit counts at once (T-239, S-016)")
    func lowered() {
        let service = TestService.service(limit: 100)
        for number in 0..<90 { _ = service.resource("/\(number)") }
        service.cachedResourceCountLimit = 91
        #expect(service.table.count == 90)
        service.cachedResourceCountLimit = 80
        #expect(service.table.count == 0 && service.cachedResourceCountLimit == 80)
    }

    @Test("what is held stays, however many there are (T-193, S-016)")
    func held() {
        let service = TestService.service(limit: 10)
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

    @Test("what is observed stays, and goes once it is not (T-170, T-171, S-215)")
    func observed() {
        let service = TestService.service()
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
        "must-show: the instance that is held or observed is the only one, whatever threads flush and fill (S-013, S-015)"
    )
    func threads() async {
        let service = TestService.service(limit: 8)
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

    @Test("threads that ask for a resource which is just ending get one that lives (S-013)")
    func endings() async {
        let service = TestService.service()
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

    @Test("a dropped service lets go of what it held; what the program holds knows a new face of it (S-215)")
    func dropped() {
        var service: Service? = TestService.service()
        weak let unheld = service?.resource("/a")
        let held = service?.resource("/b")
        #expect(unheld != nil)
        service = nil
        #expect(unheld == nil)
        #expect(held?.service.resource("/b") === held)
    }

    @Test("wiping: all, one, by pattern, by predicate; what is not in use is dropped (T-211, T-212, T-213, S-019)")
    func wiping() {
        let service = TestService.service()
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
