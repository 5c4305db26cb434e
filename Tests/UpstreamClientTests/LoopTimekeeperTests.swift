import Eventing
import Exchanges
import TestSupport
import Testing
import UpstreamClient

@Suite struct LoopTimekeeperTests {
    @Test("work runs on the loop when its time has come, unless it is called off before")
    func work() throws {
        let group = try LoopGroup(count: 1)
        defer {
            group.stop()
            group.join()
        }
        let handle = group.handles[0]
        let timekeeper = LoopTimekeeper(loop: handle)
        let ran = WaitQueue<String>()
        // On the loop: nothing is due before this turn ends.
        handle.submit { _ in
            timekeeper.after(.zero) { ran.push("called off") }.cancel()
            timekeeper.after(.zero) { ran.push(handle.isCurrent ? "on the loop" : "elsewhere") }
        }
        #expect(ran.pop() == "on the loop")
    }
}
