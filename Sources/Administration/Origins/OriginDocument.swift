import Exchanges
import Formats
import HTTPCore
import ResourceCore

/// `/v1/origins`: connections and circuit breakers, by origin.
struct OriginDocument {
    private let origins: [OriginConnections]
    /// One origin may occur several times, for different TLS settings.
    private let outages: [String: [OriginOutage]]
    private let service: Service
    private let now: MonotonicTime
    private let wallNow: HTTPDate

    /// - Parameter origins: those with connections; origins that are down come behind them.
    init(_ origins: [OriginConnections], _ service: Service) {
        let environment = service.table.environment
        self.service = service
        now = environment.timekeeper.now
        wallNow = environment.timekeeper.wallNow
        let down = environment.origins?.outages(at: now) ?? []
        outages = Dictionary(grouping: down, by: \.origin)
        let known = Set(origins.map(\.origin))
        let others = outages.keys.filter { !known.contains($0) }.sorted()
        self.origins =
            origins + others.map { OriginConnections(origin: $0) }
    }

    func write(to writer: inout JSONWriter) {
        writer.memberArray("origins") { writer in
            for origin in origins { writer.object { write(origin, to: &$0) } }
        }
    }

    private func write(_ origin: OriginConnections, to writer: inout JSONWriter) {
        let outages = outages[origin.origin] ?? []
        writer.member("origin", origin.origin)
        writer.member("connections", origin.connections)
        writer.member("idleConnections", origin.idle)
        writer.member("waiting", origin.waiting)
        writer.member("isDown", !outages.isEmpty)
        writer.memberArray("outages") { writer in
            for outage in outages { writer.object { ModeDocument.write(outage, to: &$0) } }
        }
        if let security = origin.security {
            writer.memberObject("tls") { write(security, to: &$0) }
        }
        guard let uri = try? TargetURI(parsing: origin.origin + "/") else { return }
        writeLimits(of: uri, to: &writer)
    }

    private func write(_ security: OriginConnections.Security, to writer: inout JSONWriter) {
        writer.member("version", security.version)
        writer.member("cipher", security.cipher)
        guard let ends = security.ends else { return }
        writer.memberObject("certificate") { writer in
            writer.member("subject", security.subject)
            writer.member("issuer", security.issuer)
            writer.member("ends", bytes: ends.bytes)
            writer.member("secondsLeft", ends.seconds - wallNow.seconds)
        }
    }

    /// Our own limit for requests to `/` of the origin, and what the origin itself has asked for.
    private func writeLimits(of uri: TargetURI, to writer: inout JSONWriter) {
        if let limiter = service.configuration(for: uri).values.policies.rateLimit {
            writer.memberObject("rateLimit") { writer in
                writer.member("name", limiter.name)
                writer.member("requests", limiter.rate.requests)
                writer.member("intervalSeconds", Self.ceiling(limiter.rate.interval))
                writer.member("burst", limiter.rate.burst)
                writer.member("waitSeconds", Self.ceiling(limiter.wait(at: now)))
            }
        }
        guard let breakers = service.table.environment.origins else { return }
        if let pause = breakers.pause(of: Origin(uri), at: now) {
            writer.memberObject("pause") { writer in
                writer.member("reason", pause.userMessage)
                writer.member("secondsLeft", Self.ceiling(pause.retryAfter ?? .zero))
            }
        }
        writer.member("quotaIsScarce", breakers.isQuotaScarce(of: Origin(uri), at: now))
    }

    private static func ceiling(_ time: Duration) -> Int64 {
        let (seconds, rest) = time.components
        return max(0, seconds + (rest > 0 ? 1 : 0))
    }
}
