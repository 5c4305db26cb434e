import Commands
import Daemon
import Settings

extension DaemonProvider {
    /// The server of this program.
    static let server = DaemonProvider(
        serve: { ServeCommand.run($0, presets: ToolPresets()) },
        check: { (command) throws(SettingsError) in
            try SettingsCheck(asForStart: command, presets: ToolPresets())
        },
        start: { (command, isSilent, presets, cassette) throws(StartFailure) in
            do throws(StartError) {
                let daemon = try EmbeddedDaemon(command, isSilent: isSilent, presets: presets, cassette: cassette)
                return EmbeddedDaemonAdapter(daemon: daemon)
            } catch {
                throw StartFailure(error.userMessage, hasWrongSettings: error.hasWrongSettings)
            }
        }
    )
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
