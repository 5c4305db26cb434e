public import CommandSyntax
import Eventing
import Observability
import Platform
public import Settings

/// `respite serve`: runs the daemon in the foreground until it is stopped.
public enum ServeCommand {
    /// Prepares the process for signals; call it before anything else.
    ///
    /// Until the daemon serves, SIGTERM and SIGINT end the process at once, with exit code 0. SIGHUP, SIGUSR1 and
    /// SIGUSR2 stay pending until then.
    public static func prepareForSignals() {
        Signal.ignoreBrokenPipes()
        Signal.block([.hangup, .user1, .user2])
        Signal.exitQuietly(at: [.terminate, .interrupt])
    }

    /// - Parameter presets: has the rules of the presets that the setting `rules` names.
    /// - Returns: the exit code: 0 stopped, 1 failed, 2 wrong settings.
    public static func run(_ command: ParsedCommand, presets: (any PresetSource)? = nil) -> Int32 {
        ProcessMemory.configure()
        var context = ProcessContext.current
        let inherited: InheritedSockets
        do throws(EventError) {
            inherited = try InheritedSockets(environment: context.environment)
        } catch {
            StandardError.write(Array("respite: \(error.userMessage)\n".utf8))
            return 1
        }
        context.inheritedListen = inherited.proxy.map(\.address.description)
        context.inheritedAdmin = inherited.administration.map(\.address.description)
        do throws(SettingsError) {
            let files = SettingsFiles(command: command, context: context, presets: presets)
            let plan = try files.plan()
            return serve(plan, try files.sharingPlan(plan), files, inherited)
        } catch {
            StandardError.write(Array("respite: \(error)\n".utf8))
            return 2
        }
    }

    private static func serve(
        _ plan: ServingPlan,
        _ sharing: SharingPlan?,
        _ files: SettingsFiles,
        _ inherited: InheritedSockets
    ) -> Int32 {
        let log = Logger(plan.settings.log, files.context.environment)
        log.flushAtCrash()
        do throws(StartError) {
            let application = try Application(plan, sharing: sharing, files: files, inherited: inherited, log: log)
            CoreLog.begin(log) { [reloader = application.reloader] in
                SecretParameters(reloader.current.settings.log.secretParameters)
            }
            return application.run()
        } catch {
            log.error("cannot start", ["reason": error.userMessage])
            log.flush(within: Application.flushTime)
            return 1
        }
    }
}

extension Logger {
    /// A logger that writes to standard error on its own thread; to the journal if standard error leads there.
    ///
    /// - Parameter environment: has `JOURNAL_STREAM` if the service manager has started this process.
    convenience init(_ settings: LogSettings, _ environment: [String: String] = [:]) {
        self.init(
            level: settings.level,
            format: settings.format,
            waitingLimit: settings.queueSize.bytes,
            journal: StandardError.isJournal(environment["JOURNAL_STREAM"]) ? JournalSocket() : nil
        )
    }
}
