import ResourceModel
import ResourceCore
import ResourceDoubles
import Exchanges
import HTTPCore
import TestDoubles
import Testing

/// Failures of TLS, and the names it is spoken under.
@Suite("Origins that refuse one identity") struct OriginSecurityTests {
    private static let kinds: [ExchangeFailure.Kind] = [.tlsCertificateError, .tlsAlertReceived, .tlsProtocolError]

    /// Below `/open/` certificates are not verified.
    private static func world() -> World {
        let world = World(origins: CircuitBreakers(chance: { 1 }))
        world.service.configure(whenURLMatches: { $0.path.starts(with: Array("/open/".utf8)) }) {
            $0.policies.security = "open"
        }
        return world
    }

    /// A GET, perhaps with a client certificate.
    private static func get(_ world: World, _ path: String, identity: String? = nil) -> Client {
        let client = Client(context: world.context)
        var request = world.request(path)
        request.identity = identity
        switch world.resource(path).serve(request, to: client) {
        case .answered(let answer, let waiter):
            client.note(waiter)
            client.take(answer)
        case .waiting(let waiter): client.note(waiter)
        }
        world.runUntilIdle()
        return client
    }

    private static func fail(_ world: World, _ prefix: String, identity: String? = nil, _ kind: ExchangeFailure.Kind) {
        for number in 0..<5 {
            _ = get(world, "\(prefix)\(number)", identity: identity)
            world.last.fail(kind)
            world.runUntilIdle()
        }
    }

    @Test("a client certificate that is refused takes the origin from nobody else (C-25.3)", arguments: kinds)
    func identity(kind: ExchangeFailure.Kind) {
        let world = Self.world()
        Self.fail(world, "/fail/", identity: "api", kind)
        #expect(Self.get(world, "/next", identity: "api").failure?.outage != nil)
        #expect(Self.get(world, "/a").answers == 0)
        #expect(Self.get(world, "/b", identity: "other").answers == 0)
        #expect(Self.get(world, "/open/b").answers == 0)
        world.last.answer(200, [], "x")
        world.runUntilIdle()
        #expect(Self.get(world, "/next", identity: "api").failure?.outage != nil)
    }

    @Test("where certificates are not verified it is up though they are refused elsewhere (C-25.3)", arguments: kinds)
    func unverified(kind: ExchangeFailure.Kind) {
        let world = Self.world()
        Self.fail(world, "/fail/", kind)
        #expect(Self.get(world, "/next").failure?.outage != nil)
        #expect(Self.get(world, "/open/a").answers == 0)
        // Named alike, and something else.
        #expect(Self.get(world, "/b", identity: "open").answers == 0)
    }

    @Test("who cannot be reached is down for all, and back for all with one answer (C-25.3)")
    func network() {
        let world = Self.world()
        Self.fail(world, "/fail/", identity: "api", .connectionRefused)
        #expect(Self.get(world, "/a").failure?.outage != nil && Self.get(world, "/open/a").failure?.outage != nil)
        world.timekeeper.advance(by: .seconds(1))
        let probe = Self.get(world, "/open/b")
        #expect(probe.answers == 0 && Self.get(world, "/a").failure?.outage?.isProbing == true)
        world.last.answer(200, [], "x")
        world.runUntilIdle()
        #expect(Self.get(world, "/c", identity: "api").answers == 0 && Self.get(world, "/d").answers == 0)
    }

    @Test("who cannot be reached at all is told of once, whatever was refused there before (C-25.3)")
    func listing() {
        let world = Self.world()
        Self.fail(world, "/fail/", identity: "api", .tlsAlertReceived)
        Self.fail(world, "/down/", .connectionRefused)
        let outages = world.origins?.outages(at: world.timekeeper.now) ?? []
        #expect(outages.map(\.kind) == [.connectionRefused])
    }

    @Test("one that comes as far as TLS can be reached: others are no longer kept from it (C-25.3)")
    func reachable() {
        let world = Self.world()
        Self.fail(world, "/fail/", .connectionRefused)
        world.timekeeper.advance(by: .seconds(1))
        _ = Self.get(world, "/open/a")
        world.last.fail(.tlsCertificateError)
        world.runUntilIdle()
        #expect(world.origins?.outages(at: world.timekeeper.now).isEmpty == true)
        #expect(Self.get(world, "/b").answers == 0)
    }

    @Test("a probe of one identity spaces that identity's attempts, and its end lets the next one try (C-25.3)")
    func probe() {
        let world = Self.world()
        Self.fail(world, "/fail/", identity: "api", .tlsAlertReceived)
        #expect(world.origins?.outages(at: world.timekeeper.now).count == 1)
        world.timekeeper.advance(by: .seconds(1))
        let asked = world.provider.count
        let probe = Self.get(world, "/a", identity: "api")
        #expect(Self.get(world, "/b", identity: "api").failure?.outage?.isProbing == true)
        #expect(world.provider.count == asked + 1)
        probe.leave()
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(1))
        #expect(Self.get(world, "/c", identity: "api").answers == 0)
        world.last.fail(.tlsAlertReceived)
        world.runUntilIdle()
        world.timekeeper.advance(by: .milliseconds(1999))
        #expect(Self.get(world, "/d", identity: "api").failure?.outage != nil)
        world.timekeeper.advance(by: .milliseconds(1))
        _ = Self.get(world, "/e", identity: "api")
        world.last.answer(200, [], "x")
        world.runUntilIdle()
        #expect(Self.get(world, "/f", identity: "api").answers == 0)
        #expect(world.origins?.outages(at: world.timekeeper.now).isEmpty == true)
    }
}
