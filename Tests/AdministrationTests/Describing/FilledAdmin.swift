import Administration
import Eventing
import Exchanges
import Formats
import HTTPCaching
import HTTPCore
import Observability
import ResourceCore
import Settings

/// An admin API in which every list has something.
struct FilledAdmin {
    static let readToken = "for-readers-alone"
    static let held = "http://h.example/held"
    static let stored = "http://h.example/stored"

    let admin: TestAdmin
    private let resource: Resource

    init(_ change: @Sendable (inout AdminSource, inout AdminOptions) -> Void = { _, _ in }) throws {
        admin = try TestAdmin { source, options in
            StatusTests.fill(&source)
            Self.fill(&source)
            options.readToken = Array(Self.readToken.utf8)
            options.recentRequests = 10
            change(&source, &options)
        }
        resource = try admin.hold(Self.held, "content", [("Content-Type", "text/html"), ("Vary", "Accept")])
        try admin.store?.put(.sample(Self.stored, fields: [("Cache-Control", "max-age=60"), ("Set-Cookie", "a=b")]))
        try admin.store?.put(.sample("http://h.example/old", age: 100))
        try admin.store?.put(.sample("http://h.example/private", partition: .credential([9])))
    }

    private static let origin = {
        var origin = OriginConnections(origin: "http://o.example")
        (origin.connections, origin.idle) = (2, 1)
        origin.security = OriginConnections.Security(
            version: "TLSv1.3",
            cipher: "TLS_AES_128_GCM_SHA256",
            subject: "o",
            issuer: "CA",
            ends: HTTPDate(seconds: 1_800_000_000)
        )
        return origin
    }()

    private static func fill(_ source: inout AdminSource) {
        source.names = {
            var names = NameStatistics()
            names.underWay = 1
            return names
        }
        source.origins = { _ in [origin] }
        source.services = { (try? [ServiceTests.service()]) ?? [] }
        let log = Logger(level: .info, output: { _ in })
        log.info("a line")
        source.log.lines = log.recent
        let limiter = RateLimiter(
            RateLimiter.Rate(requests: 1, interval: .seconds(1), burst: 1, maximumWait: .zero),
            name: "rule"
        )
        source.service.reconfigure { $0.configure { $0.policies.rateLimit = limiter } }
        source.tunnelNote = { "about \($0.text)" }
        source.sharedNote = { $1("about a load of \($0.request.uri.text)") }
        source.modes = ModeSource(
            general: { .auto },
            services: { [("a", nil), ("b", .offline)] },
            choose: { _, service in service != "none-such" }
        )
        let now = source.service.table.environment.timekeeper.now
        source.tunnels.open = { _ in
            [
                TunnelStatistics(
                    id: 1,
                    client: "192.0.2.1:4711",
                    target: "org.example:443",
                    route: "connect",
                    state: "open",
                    bytesUp: 1,
                    bytesDown: 2,
                    began: now + .seconds(-65),
                    lastActivity: now
                )
            ]
        }
        source.history.record(History.Sample())
        source.requests = RequestSource { _, completion in completion(recent) }
        source.configuration = ConfigurationSource(
            write: { _, _, writer in
                writer.memberArray("settings") { writer in
                    writer.object { writer in
                        for name in ["name", "value", "origin"] { writer.member(name, "x") }
                    }
                }
            },
            reload: { completion in
                completion(
                    .done { writer in
                        for name in ["changed", "needsRestart"] {
                            writer.memberArray(name) { writer in
                                writer.object { writer in
                                    for name in ["name", "old", "new"] { writer.member(name, "x") }
                                }
                            }
                        }
                        writer.memberArray("warnings") { $0.text("mind this") }
                    }
                )
            }
        )
    }

    private static var recent: RecentRecords {
        var recent = RecentRecords()
        recent.capacity = 10
        for number in 1...2 {
            var record = RequestRecord(
                id: RequestID(number: UInt64(number)),
                milliseconds: 1_700_000_000_123,
                client: .v4(0xC000_0201),
                method: .get,
                target: Array("http://h.example/held".utf8),
                status: 200,
                outcome: "miss",
                contentBytes: 5,
                duration: 1_234_567
            )
            record.cacheStatus = CacheStatus(.forwarded(.uriMiss), isStored: true)
            (record.rule, record.route, record.service, record.user) = ("rule 1", "service", "here", "alice")
            (record.reason, record.headDuration) = ("uri-miss", 1_000_000)
            (record.upstream.queue, record.upstream.name, record.upstream.connect) = (1000, 2000, 3000)
            (record.upstream.handshake, record.upstream.firstByte) = (4000, 5000)
            recent.records.append(record)
        }
        recent.horizon = RequestID(number: 2)
        return recent
    }

    /// The identifier of a resource, as the API gives it.
    func id(_ uri: String) throws -> String { try admin.json("/v1/resources?uri=\(uri)")["id"]?.text ?? "" }
}
