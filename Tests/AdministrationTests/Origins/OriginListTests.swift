import Administration
import Exchanges
import HTTPCore
import ResourceCore
import Settings
import Testing

/// `/v1/origins`.
struct OriginListTests {
    private static func origin(_ change: (inout OriginConnections) -> Void) -> OriginConnections {
        var origin = OriginConnections(origin: "https://o.example")
        change(&origin)
        return origin
    }

    @Test("an origin has its connections, what TLS has agreed on, and the end of its certificate")
    func security() throws {
        let admin = try TestAdmin { source, _ in
            source.origins = { _ in
                [
                    Self.origin { origin in
                        (origin.connections, origin.idle, origin.waiting) = (3, 1, 2)
                        origin.security = OriginConnections.Security(
                            version: "TLSv1.3",
                            cipher: "TLS_AES_128_GCM_SHA256",
                            subject: "o.example",
                            issuer: "A CA",
                            ends: HTTPDate(seconds: 1_700_000_000 - 60)
                        )
                    }
                ]
            }
        }
        #expect(
            try admin.get("/v1/origins").text == """
                {"origins":[{"origin":"https://o.example","connections":3,"idleConnections":1,"waiting":2,"isDown":false,\
                "outages":[],"tls":{"version":"TLSv1.3","cipher":"TLS_AES_128_GCM_SHA256","certificate":\
                {"subject":"o.example","issuer":"A CA","ends":"Tue, 14 Nov 2023 22:12:20 GMT","secondsLeft":-60}}}]}

                """
        )
    }

    @Test("an origin has our limit for requests to it, and how long the next one would wait")
    func limits() throws {
        let limiter = RateLimiter(
            RateLimiter.Rate(requests: 10, interval: .seconds(60), burst: 2, maximumWait: .seconds(5)),
            name: "rule 1"
        )
        let admin = try TestAdmin { source, _ in
            source.origins = { _ in [Self.origin { _ in }] }
            source.service.reconfigure { $0.configure { $0.policies.rateLimit = limiter } }
        }
        let found = try admin.json("/v1/origins")["origins"]?.elements.first?["rateLimit"]
        #expect(found?["name"]?.text == "rule 1")
        #expect(["requests", "intervalSeconds", "burst", "waitSeconds"].map { found?[$0]?.integer } == [10, 60, 2, 0])
    }

    @Test("of a certificate whose end is not known nothing is told")
    func withoutEnd() throws {
        let admin = try TestAdmin { source, _ in
            source.origins = { _ in
                [
                    Self.origin { origin in
                        origin.security = OriginConnections.Security(
                            version: "TLSv1.2",
                            cipher: "ECDHE-RSA-AES128-GCM-SHA256",
                            subject: "o.example",
                            issuer: "A CA",
                            ends: nil
                        )
                    }
                ]
            }
        }
        let text = try admin.get("/v1/origins").text
        #expect(text.contains(#""tls":{"version":"TLSv1.2","cipher":"ECDHE-RSA-AES128-GCM-SHA256"}}"#), "\(text)")
    }
}
