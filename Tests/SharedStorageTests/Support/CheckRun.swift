import Eventing
import Platform
import TestSupport

@testable import SharedStorage

/// One check on a loop of its own.
enum CheckRun {
    static func findings(_ addresses: [ServerAddress], isCluster: Bool) throws -> [CheckFinding] {
        let plan = CheckPlan(addresses, isCluster: isCluster, server: ServerOptions(), tier: SharedTierOptions())
        let group = try LoopGroup(count: 1)
        let workers = try WorkerPool(count: 1)
        defer {
            workers.stop()
            group.stop()
            group.join()
        }
        let resolver = NameResolver(workers: workers)
        let found = WaitQueue<[CheckFinding]>()
        group.handles[0].submit { loop in
            let check = SharedCheck(plan, loop: loop, connector: Connector(loop: loop, resolver: resolver))
            check.run { found.push($0) }
        }
        guard let findings = found.pop() else { throw HarnessError("the check does not end") }
        return findings
    }
}
