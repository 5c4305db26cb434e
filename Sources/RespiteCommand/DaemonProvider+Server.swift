import Commands
import Daemon
import Settings
import SharedStorage

extension DaemonProvider {
    /// The server of this program.
    static let server = DaemonProvider(
        serve: { ServeCommand.run($0, presets: ToolPresets()) },
        check: { (command) throws(SettingsError) in
            try SettingsCheck(asForStart: command, presets: ToolPresets())
        },
        checkShared: { (command) throws(StartFailure) in
            do throws(StartError) {
                return try SharedServerCheck.run(command)?.map { Finding($0) }
            } catch {
                throw StartFailure(error)
            }
        },
        start: { (command, isSilent, presets, cassette) throws(StartFailure) in
            do throws(StartError) {
                let daemon = try EmbeddedDaemon(command, isSilent: isSilent, presets: presets, cassette: cassette)
                return EmbeddedDaemonAdapter(daemon: daemon)
            } catch {
                throw StartFailure(error)
            }
        }
    )
}

extension StartFailure {
    fileprivate init(_ error: StartError) { self.init(error.userMessage, hasWrongSettings: error.hasWrongSettings) }
}

extension Finding {
    fileprivate init(_ finding: CheckFinding) {
        let verdict: Verdict =
            switch finding.verdict {
            case .ok: .ok
            case .note: .note
            case .fault: .fault
            }
        self.init(subject: finding.subject, verdict: verdict, seen: finding.seen, remedy: finding.remedy)
    }
}

/// A daemon in this process, as commands see it.
private struct EmbeddedDaemonAdapter: EmbeddedDaemonControl {
    let daemon: EmbeddedDaemon

    var listeners: [String] { daemon.listeners }

    var traffic: TrafficCounts {
        let traffic = daemon.traffic
        return TrafficCounts(
            requests: traffic.requests,
            hits: traffic.hits,
            tunnels: traffic.tunnels,
            cachedBytes: traffic.cachedBytes
        )
    }

    func finish() { daemon.finish() }
}
