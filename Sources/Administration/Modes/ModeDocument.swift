import Exchanges
import Formats
import HTTPCore
import ResourceCore

/// `/v1/mode`: how the network is used, and which origins are down.
struct ModeDocument {
    private let modes: ModeSource
    private let environment: CoreEnvironment

    init(_ modes: ModeSource, _ environment: CoreEnvironment) {
        self.modes = modes
        self.environment = environment
    }

    func write(to writer: inout JSONWriter) {
        let general = modes.general()
        writer.member("mode", general.rawValue)
        writer.memberArray("services") { writer in
            for service in modes.services() {
                writer.object { writer in
                    writer.member("name", service.name)
                    writer.member("mode", (service.mode ?? general).rawValue)
                    writer.member("own", service.mode != nil)
                }
            }
        }
        Self.writeOutages(environment, to: &writer)
    }

    /// Writes the member `outages`.
    static func writeOutages(_ environment: CoreEnvironment, to writer: inout JSONWriter) {
        writer.memberArray("outages") { writer in
            for outage in environment.origins?.outages(at: environment.timekeeper.now) ?? [] {
                writer.object { Self.write(outage, to: &$0) }
            }
        }
    }

    static func write(_ outage: OriginOutage, to writer: inout JSONWriter) {
        writer.member("origin", outage.origin)
        writer.member("error", outage.kind.rawValue)
        writer.member("reason", outage.reason)
        writer.member("since", String(decoding: outage.since.bytes, as: UTF8.self))
        writer.member("attempts", outage.failures)
        writer.member("nextAttemptSeconds", outage.wholeSeconds)
        writer.member("attemptUnderWay", outage.isProbing)
    }
}
