import Administration
@testable import Exchanges
import HTTPCore
import ResourceCore
import Testing

/// What circuit breakers know of origins.
@Suite struct OriginPauseTests {
    private static let clock = StandingClock()

    /// A service whose breakers have `down` down, and `busy` paused and short of quota.
    private static func service() throws -> Service {
        var options = CircuitBreakers.Options()
        (options.failures, options.spacing) = (1, .milliseconds(1500))
        let breakers = CircuitBreakers(options, chance: { 1 })
        for name in ["down", "busy"] {
            breakers.didFail(
                OriginRoute(Origin(try TargetURI(parsing: "http://\(name).example/")), .standard),
                ExchangeFailure(.connectionRefused, "it refuses"),
                probes: [],
                at: clock.now,
                wall: clock.wallNow
            )
        }
        let busy = Origin(try TargetURI(parsing: "http://busy.example/"))
        breakers.pause(busy, until: clock.now + .milliseconds(2500), status: 503, at: clock.now)
        breakers.noteScarcity(of: busy, until: clock.now + .seconds(9), at: clock.now)
        let environment = CoreEnvironment(timekeeper: clock, hasher: PlainHasher(), origins: breakers)
        return Service(name: "default", table: ResourceTable(environment: environment))
    }

    private static func outage(_ name: String) -> String {
        #"{"origin":"http://\#(name).example","error":"connection_refused","reason":"it refuses","#
            + #""since":"Tue, 14 Nov 2023 22:13:20 GMT","attempts":1,"nextAttemptSeconds":2,"attemptUnderWay":false}"#
    }

    @Test("an origin has its outage and its pause, in seconds rounded up; one that is down has a line of its own")
    func listed() throws {
        let service = try Self.service()
        let admin = try TestAdmin { source, _ in
            source.service = service
            source.origins = { _ in [OriginConnections(origin: "http://busy.example")] }
        }
        let none = #""connections":0,"idleConnections":0,"waiting":0,"isDown":true,"#
        let reason = "http://busy.example answered 503 and asked for a pause; this request was not sent"
        #expect(
            try admin.get("/v1/origins").text == """
                {"origins":[{"origin":"http://busy.example",\(none)"outages":[\(Self.outage("busy"))],\
                "pause":{"reason":"\(reason)","secondsLeft":3},"quotaIsScarce":true},\
                {"origin":"http://down.example",\(none)"outages":[\(Self.outage("down"))],"quotaIsScarce":false}]}

                """
        )
    }

    @Test("status and modes name the origins that are down")
    func outages() throws {
        let service = try Self.service()
        let admin = try TestAdmin { source, _ in
            source.service = service
            source.modes = ModeSource(general: { .online }, services: { [] }, choose: { _, _ in true })
        }
        let outages = #""outages":[\#(Self.outage("busy")),\#(Self.outage("down"))]"#
        #expect(try admin.get("/v1/status").text.contains(outages))
        #expect(try admin.get("/v1/mode").text == "{\"mode\":\"online\",\"services\":[],\(outages)}\n")
    }

    @Test("limits are told in whole seconds, rounded up, as is the wait of the next request")
    func rounding() throws {
        let limiter = RateLimiter(
            RateLimiter.Rate(requests: 1, interval: .milliseconds(1500), burst: 1, maximumWait: .seconds(9)),
            name: "rule 1"
        )
        _ = limiter.admit(at: Self.clock.now)
        let admin = try TestAdmin { source, _ in
            source.origins = { _ in [OriginConnections(origin: "http://o.example")] }
            source.service.reconfigure { $0.configure { $0.policies.rateLimit = limiter } }
        }
        let limit = #""rateLimit":{"name":"rule 1","requests":1,"intervalSeconds":2,"burst":1,"waitSeconds":2}"#
        #expect(try admin.get("/v1/origins").text.contains(limit))
    }

    @Test("lists of origins and tunnels ask for 1,000 at most unless a number is given")
    func limits() throws {
        let asked = Noted<Int>()
        let admin = try TestAdmin { source, _ in
            source.origins = { limit in
                asked.note(limit)
                return []
            }
            source.tunnels.open = { limit in
                asked.note(limit)
                return []
            }
        }
        for path in ["/v1/origins", "/v1/tunnels", "/v1/origins?limit=7", "/v1/tunnels?limit=8"] {
            #expect(try admin.get(path).status == 200)
        }
        #expect(asked.all == [1000, 1000, 7, 8])
    }
}
