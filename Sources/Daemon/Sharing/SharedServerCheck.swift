public import CommandSyntax
import Eventing
import Platform
import Settings
public import SharedStorage
import UpstreamClient

/// `respite shared check`: tries the shared server of the settings, as the daemon would use it.
public enum SharedServerCheck {
    /// Reads the settings of a command, and tries the server; blocks.
    ///
    /// - Returns: nil if the settings name no server.
    public static func run(_ command: ParsedCommand) throws(StartError) -> [CheckFinding]? {
        let plan: CheckPlan?
        let names: NameResolver.Options
        do throws(SettingsError) {
            let context = ProcessContext.current
            let loaded = try LoadedSettings.load(command, context: context)
            let security = try UpstreamSecurity.usualContext(loaded, context)
            plan = try SharingPlan(loaded, security, context)?.check
            names = loaded.values.resolverOptions
        } catch {
            throw StartError(error)
        }
        return try plan.map { plan throws(StartError) in try run(plan, names) }
    }

    private static func run(_ plan: CheckPlan, _ names: NameResolver.Options) throws(StartError) -> [CheckFinding] {
        let workers = try WorkerPool.start(count: 1, name: "resolver")
        defer { workers.stop() }
        let resolver = NameResolver(workers: workers, options: names)
        let loops: LoopGroup
        do throws(EventError) { loops = try LoopGroup(count: 1) } catch { throw StartError(error) }
        defer {
            loops.stop()
            loops.join()
        }
        let found = BlockingQueue<[CheckFinding]>()
        loops.handles[0].submit { loop in
            let check = SharedCheck(plan, loop: loop, connector: Connector(loop: loop, resolver: resolver))
            check.run { found.push($0) }
        }
        return found.pop() ?? []
    }
}

extension SharingPlan {
    /// What a check of the server looks at.
    fileprivate var check: CheckPlan { CheckPlan(addresses, isCluster: isCluster, server: server, tier: tier) }
}
