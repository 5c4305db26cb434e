import HTTPCore
import ResourceCore

@testable import SharedStorage

/// A tier on a loop of virtual time, over a server whose replies the test gives.
final class TierWorld {
    let time = VirtualTime()
    let loop: VirtualLoop
    let server = HandServer()
    let tier: SharedTier
    let client: TierClient
    let load: SharedLoad
    let claim = Claim(
        token: String(repeating: "a", count: 32),
        number: String(repeating: "1", count: 16),
        lease: Lease(key: Array("key".utf8), value: Array("value".utf8))
    )

    init(_ load: SharedLoad) {
        self.load = load
        loop = VirtualLoop(time)
        tier = SharedTier(SharedTierOptions(), timekeeper: LoopTime(loop)) { work in
            work()
            return true
        }
        client = TierClient(loop, server, tier)
        let pinned = Pinned(client)
        tier.add(isHere: { true }, submit: { $0(pinned.value) })
    }

    /// Goes on in time.
    func advance(_ milliseconds: Int) { time.run(until: time.now + .milliseconds(milliseconds)) }
}
