import Synchronization

/// Bytes of unfinished request heads over all connections that share it (H-132); safe from any thread.
///
/// Half of it is for heads of up to 4 KiB alone. So clients that hold back large heads do not shut out those whose small
/// heads come in two pieces.
public final class HeadBudget: Sendable {
    private static let smallHead = 4096

    private let limitValue: Atomic<Int>
    private let usedValue = Atomic(0)
    private let refusedValue = Atomic(0)
    /// Called for each refusal, on the loop where it happens.
    private let report: @Sendable () -> Void

    init(limit: Int, report: @escaping @Sendable () -> Void) {
        limitValue = Atomic(limit)
        self.report = report
    }

    /// Bytes allowed; may change at any time.
    public internal(set) var limit: Int {
        get { limitValue.load(ordering: .relaxed) }
        set { limitValue.store(newValue, ordering: .relaxed) }
    }

    /// Bytes in use.
    public var used: Int { usedValue.load(ordering: .relaxed) }

    /// Requests that were refused for want of room, since the start.
    public var refused: Int { refusedValue.load(ordering: .relaxed) }

    /// Counts a head of which `former` bytes had come, and now `count`; false, without counting, if that is too much.
    func grow(from former: Int, to count: Int) -> Bool {
        let used = usedValue.add(count - former, ordering: .relaxed).newValue
        guard count > former, used > (count > Self.smallHead ? limit / 2 : limit) else { return true }
        usedValue.subtract(count - former, ordering: .relaxed)
        refusedValue.add(1, ordering: .relaxed)
        report()
        return false
    }

    /// A head of which `count` bytes were counted is whole, or its connection gone.
    func leave(_ count: Int) { usedValue.subtract(count, ordering: .relaxed) }
}
