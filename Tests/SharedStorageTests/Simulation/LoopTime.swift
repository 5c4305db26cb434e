import Exchanges
import HTTPCore

@testable import SharedStorage

/// The clocks of a virtual loop.
final class LoopTime: Timekeeper {
    private final class Token: TimerToken {
        let timer: Pinned<any TierTimer>
        init(_ timer: any TierTimer) { self.timer = Pinned(timer) }
        func cancel() { timer.value.cancel() }
    }

    private let loop: Pinned<VirtualLoop>

    init(_ loop: VirtualLoop) { self.loop = Pinned(loop) }

    var now: MonotonicTime { loop.value.now }
    var wallNow: HTTPDate { loop.value.wallNow }

    func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken {
        Token(loop.value.later(delay, work))
    }
}
