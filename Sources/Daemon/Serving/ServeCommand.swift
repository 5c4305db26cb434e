import Eventing
import Observability
import Platform
import Settings

/// `respite serve`: the daemon in the foreground, until it is told to stop.
enum ServeCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        ProcessMemory.configure()
        var context = ProcessContext.current
        let inherited: InheritedSockets
        do throws(EventError) {
            inherited = try InheritedSockets(environment: context.environment)
        } catch {
            Console.complain("respite: \(error.userMessage)")
            return 1
        }
        context.inheritedListen = inherited.proxy.map(\.address.description)
        context.inheritedAdmin = inherited.administration.map(\.address.description)
        do throws(SettingsError) {
            let files = SettingsFiles(command: command, context: context)
            return serve(try files.plan(), files, inherited)
        } catch {
            Console.complain("respite: \(error)")
            return 2
        }
    }

    private static func serve(
        _ plan: ServingPlan,
        _ files: SettingsFiles,
        _ inherited: InheritedSockets
    ) -> Int32 {
        if plan.settings.memory.hugePages { ProcessMemory.enlargeCodePages(around: EventLoop.codeAddress) }
        let log = Logger(plan.settings.log)
        log.flushAtCrash()
        do throws(StartError) {
            let application = try Application(plan, files: files, inherited: inherited, log: log)
            CoreLog.begin(log) { [reloader = application.reloader] in
                SecretParameters(reloader.current.settings.log.secretParameters)
            }
            return application.run()
        } catch {
            log.error("cannot start", ["reason": error.userMessage])
            log.flush(within: Application.flushTime)
            return error.exitCode
        }
    }
}

extension Logger {
    /// Writes to standard error as settings say, by a thread of its own.
    convenience init(_ settings: LogSettings) {
        self.init(level: settings.level, format: settings.format, waitingLimit: settings.queueSize.bytes)
    }
}

/// Why the daemon does not start.
struct StartError: Error {
    /// A sentence that names the thing, what happened and the remedy.
    var userMessage: String
    /// 2 if the settings are at fault, else 1.
    var exitCode: Int32 = 1

    init(userMessage: String, exitCode: Int32 = 1) {
        self.userMessage = userMessage
        self.exitCode = exitCode
    }

    init(_ error: EventError) { userMessage = error.userMessage }
}
