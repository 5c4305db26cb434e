import TestDoubles
import HTTPCore
import Testing
import Transforms

@testable import ResourceCore
@testable import ResourceModel

/// How programs configure the resources of a service.
@Suite("Configuring a service")
struct ServiceConfigurationTests {
    private let service = TestService.service()

    private func expiration(_ path: String, _ method: Method = .get) -> Duration {
        service.resource(path).configuration(for: method).values.expirationTime
    }

    @Test("an entry for all applies to all, and leaves what it does not set (T-194, T-195, T-196, S-038, S-039, S-049)")
    func global() {
        service.configure(description: "all of it") { $0.expirationTime = .seconds(17) }
        #expect(expiration("/a") == .seconds(17) && expiration("/b") == .seconds(17))
        #expect(service.resource("/a").configuration.sources.map(\.description) == ["all of it"])
        #expect(service.resource("/a").configuration.values.retryTime == .seconds(1))
        let other = TestService.service()
        other.configure { $0.retryTime = .seconds(5) }
        #expect(other.resource("/a").configuration.values.expirationTime == .seconds(30))
    }

    @Test("an entry for one resource; for a URL by a predicate (T-197, S-066)")
    func one() {
        service.configure(service.resource("/a")) { $0.expirationTime = .seconds(17) }
        service.configure(whenURLMatches: { $0.text.hasSuffix("b") }) { $0.expirationTime = .seconds(18) }
        #expect(expiration("/a") == .seconds(17))
        #expect(expiration("/b") == .seconds(18))
        #expect(expiration("/c") == .seconds(30))
        #expect(service.resource("/b").configuration.sources.map(\.description) == ["custom"])
    }

    @Test(
        "an entry for some methods; one that nobody knows gets what is for all, not what is for GET (T-198, S-043, S-044)"
    )
    func methods() {
        service.configure("**", requestMethods: [.post]) { $0.expirationTime = .seconds(17) }
        #expect(expiration("/a", .post) == .seconds(17))
        #expect(expiration("/a", .get) == .seconds(30) && expiration("/a", .put) == .seconds(30))
        service.configure("**", requestMethods: [.get]) { $0.expirationTime = .seconds(1) }
        service.configure("**") { $0.retryTime = .seconds(9) }
        #expect(expiration("/a", Method("PROPFIND")) == .seconds(30))
        for method in [Method.options, .get, .head, .post, .put, .patch, .delete] {
            #expect(service.resource("/a").configuration(for: method).values.retryTime == .seconds(9))
        }
    }

    @Test("an entry is in effect at the next read, and the later one wins (T-209, S-042, S-046)")
    func later() {
        #expect(expiration("/a") == .seconds(30))
        service.configure { $0.expirationTime = .seconds(17) }
        #expect(expiration("/a") == .seconds(17))
        service.configure("/a") { $0.expirationTime += .seconds(1) }
        #expect(expiration("/a") == .seconds(18))
        service.configure { $0.expirationTime = .seconds(2) }
        #expect(expiration("/a") == .seconds(2))
    }

    @Test("what a closure read counts until the configuration is invalidated (T-210, S-045, S-046)")
    func invalidated() {
        let value = LockedBox(Duration.seconds(1))
        service.configure { $0.expirationTime = value.value }
        #expect(expiration("/a") == .seconds(1))
        value.change { $0 = .seconds(2) }
        #expect(expiration("/a") == .seconds(1))
        service.invalidateConfiguration()
        #expect(expiration("/a") == .seconds(2))
    }

    @Test("what is configured for requests is told by names of fields and by numbers, never by values (S-049, S-232)")
    func requestDescriptions() {
        var value = RequestConfiguration()
        #expect(RequestConfiguration.descriptions(of: value).isEmpty)
        value.headers = ["X-B": "secret", "X-A": "secret"]
        value.mutators = [{ _ in }, { _ in }]
        value.decorators = [{ _, request in request }]
        let parts = ["headers X-A, X-B", "2 mutations", "1 decorators"]
        #expect(RequestConfiguration.descriptions(of: value) == parts)
    }

    @Test("a resource's text is its URL without the base, and what it holds (S-075)")
    func descriptions() {
        #expect("\(service.resource("/a"))" == "Resource(…/a)[]")
        #expect("\(service.resource(absoluteURL: "http://x.example/y"))" == "Resource(http://x.example/y)[]")
        #expect("\(service.resource(absoluteURL: "\0"))" == #"Resource("\0")[]"#)
    }
}

/// Never asked.
private final class NoNetwork: NetworkingProvider {
    private struct Nothing: RequestNetworking {
        func cancel() {}
        var transferMetrics: RequestTransferMetrics { RequestTransferMetrics() }
    }

    func startRequest(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (NetworkingResult) -> Void
    ) -> any RequestNetworking { Nothing() }
}

/// What services of programs begin with, and transformers.
@Suite("Transformers of a service")
struct ServiceTransformerTests {
    @Test(
        "each standard transformer is an entry of its own, for all methods, in order; none leaves content as it is (S-006)"
    )
    func standard() {
        let service = Service(baseURL: "http://h.example", networking: NoNetwork())
        let configuration = service.resource("/a").configuration(for: .options)
        #expect(
            configuration.sources.map(\.description) == ["JSON", "text", "image"].map { "standard transformer: \($0)" }
        )
        #expect(configuration.values.pipeline[.parsing].transformers.count == 3)
        #expect(service.baseURL?.text == "http://h.example/" && service.cachedResourceCountLimit == 2048)
        let bare = Service(baseURL: "http://h.example".targetURI, standardTransformers: [], networking: NoNetwork())
        #expect(bare.resource("/a").configuration.sources.isEmpty)
        #expect(bare.resource("/a").configuration.values.pipeline[.parsing].isEmpty)
        #expect(Service(networking: NoNetwork()).baseURL == nil)
    }

    @Test(
        "a transformer replaces those of the model stage, for methods with content; or goes behind them elsewhere (S-055)"
    )
    func configured() {
        let service = TestService.service()
        func count(_ path: String, _ stage: PipelineStageKey, _ method: Method = .get) -> Int {
            service.resource(path).configuration(for: method).values.pipeline[stage].transformers.count
        }
        service.configureTransformer("/a") { (entity: Entity<String>) in entity.content.count }
        service.configureTransformer("/a") { (entity: Entity<String>) in entity.content + "!" }
        for method in [Method.get, .put, .post, .patch, .delete] { #expect(count("/a", .model, method) == 1) }
        for method in [Method.head, .options] { #expect(count("/a", .model, method) == 0) }
        #expect(count("/b", .model) == 0)
        service.configureTransformer("/*", atStage: .cleanup) { (entity: Entity<Int>) in entity.content }
        service.configureTransformer("/*", atStage: .cleanup, action: .appendToExisting) { (entity: Entity<Int>) in
            entity.content + 1
        }
        #expect(count("/a", .cleanup) == 2 && count("/b", .cleanup) == 2)
        service.configureTransformer("/b", requestMethods: [.head], description: "mine") { (_: Entity<Int>) in 0 }
        #expect(service.resource("/b").configuration(for: .head).sources.map(\.description) == ["mine"])
    }

    @Test("a resource's configuration gives its values by their names (S-048)")
    func values() {
        let service = TestService.service()
        service.configure("/a") {
            $0.expirationTime = .seconds(7)
            $0.headers["X-A"] = "b"
        }
        let configuration = service.resource("/a").configuration
        #expect(configuration.expirationTime == .seconds(7) && configuration.retryTime == .seconds(1))
        #expect(configuration.headers["X-A"] == "b" && configuration.mode == .auto)
        #expect(service.resource("/b").configuration(for: .post).headers.isEmpty)
    }
}
