import ResourceDoubles
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles
import TestSupport
import Testing
import Transforms

/// Many observers and requests on one load.
@Suite("Many on one load")
struct OneLoadTests {
    private static let threads = 8
    private static let requestsOfEach = 100
    private static let observers = 400

    /// Parses JSON, and counts how often.
    private struct CountingParser: ResponseTransformer {
        let count = LockedBox(0)

        func process(_ response: Response) -> Response {
            count.change { $0 += 1 }
            return JSONResponseTransformer().process(response)
        }
    }

    /// What programs make of the parsed content; each is another object.
    private final class Model: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    /// What observers and hooks were told.
    private struct Told: Sendable {
        let events = LockedBox<[String: Int]>([:])
        let models = LockedBox<[ObjectIdentifier]>([])
        let confirmed = LockedBox(0)

        func note(_ event: ResourceEvent, _ model: Model?) {
            events.change { $0[event.text, default: 0] += 1 }
            if event == .newData(.network) { note(model) }
        }

        func note(_ model: Model?) { if let model { models.change { $0.append(ObjectIdentifier(model)) } } }
    }

    @Test(
        "800 requests from 8 threads and 400 observers on one load: parsed once; after a 304 not again (S-127, S-097)"
    )
    func parsedOnce() async {
        let (networking, time) = (StubNetworking(), ManualTimekeeper())
        let service = Service(
            name: "test",
            table: ResourceTable(environment: CoreEnvironment(timekeeper: time, hasher: PlainHasher())),
            networking: networking
        )
        let (parser, made) = (CountingParser(), LockedBox(0))
        service.configure { $0.pipeline[.parsing].add(parser) }
        service.configureTransformer("**") { (entity: Entity<[String: any Sendable]>) in
            made.change { $0 += 1 }
            return Model(entity.content["text"] as? String ?? "")
        }
        let (resource, told, owner) = (service.resource(for: World.uri("/a")), Told(), Owner())
        for _ in 0..<Self.observers {
            resource.addObserver(owner: owner) { _, change in
                told.note(change.event, change.state.latestData?.typedContent())
            }
        }

        // A first load, which everybody joins.
        var request = Self.join(resource, told)
        #expect(networking.requests.count == 1)
        networking.last.answer(200, [("ETag", "\"v1\"")], #"{"text": "abc"}"#)
        _ = await request?.outcome
        let everybody = Self.threads * Self.requestsOfEach
        #expect(told.models.value.count == everybody + Self.observers && Set(told.models.value).count == 1)
        #expect(parser.count.value == 1 && made.value == 1 && told.confirmed.value == 0)
        #expect(told.events.value["newData(network)"] == Self.observers)

        // A second one, whose answer is that nothing has changed.
        time.advance(by: .seconds(31))
        request = Self.join(resource, told)
        #expect(networking.requests.count == 2 && networking.last.request[field: "If-None-Match"] == "\"v1\"")
        networking.last.answer(304)
        _ = await request?.outcome
        #expect(told.confirmed.value == everybody && told.events.value["notModified"] == Self.observers)
        #expect(parser.count.value == 1 && made.value == 1 && told.models.value.count == everybody + Self.observers)
        let model: Model? = resource.latestData?.typedContent()
        #expect(model?.text == "abc" && told.models.value.first == model.map(ObjectIdentifier.init))
        #expect(told.events.value["requested"] == 2 * Self.observers)
        withExtendedLifetime(owner) {}
    }

    /// Has all threads call `loadIfNeeded` and attach hooks; the request all of them got.
    private static func join(_ resource: Resource, _ told: Told) -> Request? {
        let requests = LockedBox<[Request?]>([])
        Threads.run(threads) { _ in
            for _ in 0..<requestsOfEach {
                let request = resource.loadIfNeeded()
                request?.onNewData { told.note($0.typedContent()) }
                    .onNotModified { told.confirmed.change { $0 += 1 } }
                requests.change { $0.append(request) }
            }
        }
        let all = requests.value
        #expect(all.count == threads * requestsOfEach && all.allSatisfy { $0 != nil && $0 === all[0] })
        return all[0]
    }

    @Test("while an observer takes its time clients have their answers, and others get theirs")
    func slowObserver() {
        let world = World()
        let (first, second) = (world.resource("/a"), world.resource("/b"))
        let (owner, seen) = (Owner(), LockedBox<[String]>([]))
        let client = world.get("/a")
        let other = world.get("/b")
        let exchanges = world.provider.exchanges
        first.addObserver(owner: owner) { _, change in
            guard change.event == .newData(.network) else { return }
            seen.change { $0.append("joined \(client.text)") }
            exchanges[1].answer(200, [("Cache-Control", "max-age=60")], "b")
            world.runUntilIdle()
            seen.change { $0.append("other \(other.text)") }
            seen.change { $0.append("hit \(world.get("/a").text) \(world.get("/b").text)") }
        }
        second.addObserver(owner: owner) { _, change in seen.change { $0.append("second \(change.event.text)") } }
        exchanges[0].answer(200, [("Cache-Control", "max-age=60")], "a")
        world.runUntilIdle()
        #expect(
            seen.value == ["second observerAdded", "joined a", "second newData(network)", "other b", "hit a b"]
        )
        withExtendedLifetime(owner) {}
    }
}
