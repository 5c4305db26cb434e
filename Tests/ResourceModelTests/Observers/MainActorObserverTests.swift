import Exchanges
import ResourceDoubles
import TestDoubles
import TestSupport
import Testing

@testable import ResourceCore
@testable import ResourceModel

@MainActor @Suite("Observers on the main actor")
struct MainActorObserverTests {
    /// What a program shows; observes itself.
    private final class Screen: MainActorObserver {
        private(set) var events: [String] = []
        private(set) var text = ""

        func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
            MainActor.assertIsolated()
            events.append("\(change.event)")
            text = change.state.text
        }

        func stoppedObserving(_ resource: Resource) { events.append("stopped") }

        func observe(_ resource: Resource) {
            resource.addMainActorObserver(owner: self) { [weak self] resource, change in
                MainActor.assertIsolated()
                self?.resourceChanged(resource, change)
            }
        }
    }

    private nonisolated static let networking = StubNetworking { _ in
        .answer(200, [("Content-Type", "text/plain")], "abc")
    }

    /// Services that deliver on the main actor and elsewhere.
    private nonisolated static func services() -> [Service] {
        [SerialDelivery.mainActor, SerialDelivery()].map { delivery in
            Service(baseURL: "http://origin.example", networking: networking, delivery: delivery)
        }
    }

    @Test("an object on the main actor observes there, wherever its service delivers (S-205)", arguments: services())
    func object(service: Service) async {
        let (screen, resource) = (Screen(), service.resource("a"))
        resource.addObserver(screen)
        #expect(screen.events == ["observerAdded"])
        await Self.load(resource)
        #expect(screen.events == ["observerAdded", "requested", "newData(network)"] && screen.text == "abc")
    }

    @Test("a closure on the main actor observes for an owner there (S-205)", arguments: services())
    func closure(service: Service) async {
        let (screen, resource) = (Screen(), service.resource("a"))
        screen.observe(resource)
        #expect(screen.events == ["observerAdded"])
        await Self.load(resource)
        resource.removeObservers(ownedBy: screen)
        await Self.load(resource)
        #expect(screen.events == ["observerAdded", "requested", "newData(network)"] && screen.text == "abc")
    }

    @Test("an object that is added twice is one observer, and is not kept (S-210, S-211)", arguments: services())
    func identity(service: Service) async {
        var screen: Screen? = Screen()
        weak let weakly = screen
        let resource = service.resource("a")
        if let screen { resource.addObserver(screen).addObserver(screen) }
        #expect(screen?.events == ["observerAdded"])
        screen = nil
        #expect(weakly == nil)
        await Self.load(resource)
    }

    @Test(
        "an object that is removed and added again gets the pair behind earlier events (S-213, S-216)",
        arguments: services()
    )
    func comesBack(service: Service) async {
        let (screen, resource) = (Screen(), service.resource("a"))
        resource.addObserver(screen)
        resource.overrideLocalContent("mine")
        resource.removeObservers(ownedBy: screen)
        resource.addObserver(screen)
        await Self.deliverAll(service)
        resource.wipe()
        await Self.deliverAll(service)
        let expected = ["observerAdded", "newData(localOverride)", "stopped", "observerAdded", "newData(wipe)"]
        #expect(screen.events == expected)
    }

    @Test("calls that are on their way to the main actor come before that of an object that is added again (S-207)")
    func earlierCalls() throws {
        let (screen, delivery) = (Screen(), SerialDelivery())
        let service = Service(baseURL: "http://origin.example", networking: Self.networking, delivery: delivery)
        let resource = service.resource("a")
        resource.addObserver(screen)
        resource.overrideLocalContent("mine")
        resource.removeObservers(ownedBy: screen)
        // The service has told all, and the main actor is busy here.
        let hasTold = Gate()
        delivery.submit { hasTold.open() }
        try hasTold.wait()
        #expect(screen.events == ["observerAdded"])
        resource.addObserver(screen)
        #expect(screen.events == ["observerAdded", "newData(localOverride)", "stopped", "observerAdded"])
    }

    /// Notes the end of a load's progress among the events.
    private final class Meter: MainActorObserver {
        private(set) var notes: [String] = []

        func resourceChanged(_ resource: Resource, _ change: ResourceChange) { notes.append("\(change.event)") }

        func resourceRequestProgress(_ resource: Resource, _ progress: Double) {
            MainActor.assertIsolated()
            if progress == 1 { notes.append("progress 1") }
        }
    }

    @Test(
        "an object on the main actor learns there how far a load is, before its end (S-205, S-219)",
        arguments: services()
    )
    func progress(service: Service) async {
        let (meter, resource) = (Meter(), service.resource("a"))
        resource.addObserver(meter)
        await Self.load(resource)
        #expect(meter.notes == ["observerAdded", "requested", "progress 1", "newData(network)"])
    }

    private static func load(_ resource: Resource) async {
        _ = await resource.load().outcome
        await deliverAll(resource.service)
    }

    /// What the service has delivered has reached the main actor, too.
    private static func deliverAll(_ service: Service) async {
        await (service.core.delivery as? SerialDelivery)?.flush()
        await SerialDelivery.mainActor.flush()
    }
}
