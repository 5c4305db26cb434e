import Eventing
import HTTPCore
import Testing

@testable import Daemon
@testable import Proxying

/// What explain says about tunnels that passed unread.
@Suite struct TunnelAdviceTests {
    private static func advice(_ url: String, after targets: [String], listeners: [String]) throws -> String? {
        let registry = TunnelRegistry()
        for target in targets {
            _ = registry.add(
                .ip(.v4(0x7F00_0001), port: 1),
                to: Array(target.utf8),
                by: .connect,
                at: MonotonicTime(nanoseconds: 0)
            )
        }
        return TunnelAdvice(try TargetURI(parsing: url), passed: registry, listeners: listeners)?.sentence
    }

    @Test("the way to hits is the prefix of the first listener with a port, or any")
    func sentences() throws {
        let target = "a.example:443"
        #expect(
            try Self.advice("https://a.example/x", after: [target], listeners: ["unix:/run/a", "127.0.0.1:1"])
                == "1 tunnel to a.example:443 passed unread: for hits, ask for http://127.0.0.1:1/https://a.example/… "
                + "instead, or name a.example in `intercept.hosts`"
        )
        #expect(
            try Self.advice("https://a.example/x", after: [target, target], listeners: ["https://127.0.0.1:2"])
                == "2 tunnels to a.example:443 passed unread: for hits, ask for https://127.0.0.1:2/https://a.example/… "
                + "instead, or name a.example in `intercept.hosts`"
        )
        #expect(
            try Self.advice("https://a.example:8443/", after: ["a.example:8443"], listeners: ["127.0.0.1:1"])
                == "1 tunnel to a.example:8443 passed unread: for hits, ask for "
                + "http://127.0.0.1:1/https://a.example:8443/… instead, or name a.example in `intercept.hosts`"
        )
        #expect(
            try Self.advice("https://a.example/", after: [target], listeners: ["unix:/run/a"])
                == "1 tunnel to a.example:443 passed unread: for hits, ask through the prefix of a listener, or name "
                + "a.example in `intercept.hosts`"
        )
    }

    @Test("nothing is said where no tunnel has passed to the origin")
    func nothing() throws {
        #expect(try Self.advice("https://a.example/", after: [], listeners: ["127.0.0.1:1"]) == nil)
        #expect(try Self.advice("https://a.example/", after: ["a.example:8443"], listeners: ["127.0.0.1:1"]) == nil)
    }
}
