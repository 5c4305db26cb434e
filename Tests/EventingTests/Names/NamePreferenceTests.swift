import HTTPCore
import Platform
import Testing

@testable import Eventing

/// Which of a name's addresses comes first, and what a resolver does unless it is told otherwise.
@Suite struct NamePreferenceTests {
    private static func first(_ resolver: NameResolver, _ name: String) async throws -> IPAddress? {
        let answer: NameResolver.Resolution = try await onLoop { loop, outcome in
            resolver.resolve(Array(name.utf8), on: loop) { outcome.succeed($0) }
        }
        return try answer.get().addresses.first
    }

    @Test("as many names as are remembered have a preferred address; one more drops the others")
    func capacity() async throws {
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        var options = NameResolver.Options.system
        options.capacity = 2
        let addresses: [IPAddress] = [.v4(1), .v4(2)]
        options.overrides = ["a.example": addresses, "b.example": addresses, "c.example": addresses]
        let resolver = NameResolver(workers: workers, options: options) { _ in .failure(.notFound) }
        // An address that the name has not, a literal and what is no name change nothing.
        resolver.prefer(.v4(9), of: Array("a.example".utf8))
        #expect(try await Self.first(resolver, "a.example") == IPAddress.v4(1))
        for host in ["127.0.0.1", "[::1]", "a b", ""] { resolver.prefer(.v4(2), of: Array(host.utf8)) }
        resolver.prefer(.v4(2), of: Array("A.Example.".utf8))
        resolver.prefer(.v4(2), of: Array("b.example".utf8))
        #expect(try await Self.first(resolver, "a.example") == IPAddress.v4(2))
        #expect(try await Self.first(resolver, "b.example") == IPAddress.v4(2))
        resolver.prefer(.v4(2), of: Array("c.example".utf8))
        #expect(try await Self.first(resolver, "c.example") == IPAddress.v4(2))
        #expect(try await Self.first(resolver, "a.example") == IPAddress.v4(1))
        #expect(try await Self.first(resolver, "b.example") == IPAddress.v4(1))
    }

    @Test("unless told otherwise a resolver asks by itself, for up to ten seconds, 512 names at once")
    func defaults() {
        let options = NameResolver.Options()
        #expect(options.kind == .builtIn && options.servers.isEmpty && options.overrides.isEmpty)
        #expect(options.preferenceLifetime == .seconds(600) && options.capacity == 1024 && options.limit == 512)
        #expect(options.patience == .milliseconds(500) && options.timeLimit == .seconds(10) && options.tryTime == nil)
        #expect(options.hostsPath == "/etc/hosts" && options.resolvPath == "/etc/resolv.conf")
        #expect(options.switchPath == "/etc/nsswitch.conf" && options.lifetimes == NameCache.Lifetimes())
    }
}
