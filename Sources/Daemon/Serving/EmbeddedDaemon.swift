public import CommandSyntax
import Administration
import Eventing
import Observability
import Platform
public import Recording
public import Settings

/// A daemon in the process of a command.
///
/// No signal ends it: it ends by `finish()`, or with the process.
public final class EmbeddedDaemon: Sendable {
    /// Counts of what clients have received.
    public struct Traffic: Sendable {
        public var requests: Int
        public var hits: Int
        public var tunnels: Int
        /// Bytes of content that came from the cache.
        public var cachedBytes: Int
    }

    private let application: Application
    /// Runs the application.
    private let thread: WorkerPool

    /// Starts the daemon, and returns once it serves.
    ///
    /// - Parameters:
    ///   - command: `serve` with its options.
    ///   - isSilent: whether it logs nothing.
    ///   - presets: has the rules of the presets that the setting `rules` names.
    ///   - cassette: records all exchanges, or replays recorded ones; nil: the daemon caches.
    public init(
        _ command: ParsedCommand,
        isSilent: Bool,
        presets: (any PresetSource)? = nil,
        cassette: CassetteSession? = nil
    ) throws(StartError) {
        ProcessMemory.configure()
        var context = ProcessContext.current
        // The service manager has set these variables for this process, not for the daemon in it.
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] {
            context.environment[name] = nil
        }
        let files = SettingsFiles(command: command, context: context, presets: presets)
        let plan: ServingPlan
        let sharing: SharingPlan?
        do throws(SettingsError) {
            plan = try files.plan()
            sharing = cassette == nil ? try files.sharingPlan(plan) : nil
        } catch {
            throw StartError(error)
        }
        let serving = Latch()
        application = try Application(
            plan,
            sharing: sharing,
            files: files,
            log: isSilent ? .silent : Logger(plan.settings.log),
            isLasting: false,
            cassette: cassette,
            onServing: { serving.open() }
        )
        thread = try WorkerPool.start(count: 1, name: "serve")
        thread.submit { [application] in _ = application.run() }
        serving.wait()
    }

    /// Where clients connect: `127.0.0.1:40123`.
    public var listeners: [String] { application.sockets.proxyAddresses.map(\.description) }

    /// Counts of what clients have received so far.
    public var traffic: Traffic {
        let statistics = TrafficStatistics(application.shared.metrics)
        return Traffic(
            requests: statistics.requests,
            hits: statistics.hits,
            tunnels: statistics.tunnels,
            cachedBytes: statistics.cachedBytes
        )
    }

    /// Completes the exchanges in progress and ends the daemon; blocks.
    public func finish() {
        application.finish()
        thread.stop()
        application.linkedHosts.save()
    }
}
