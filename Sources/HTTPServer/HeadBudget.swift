import Synchronization

/// Bytes of unfinished request heads over all connections that share it (H-132); safe from any thread.
///
/// Half of it is only for heads of up to 4 KiB. So clients that leave large heads unfinished do not shut out small
/// heads in two pieces.
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

    /// The most bytes; may change at any time.
    public internal(set) var limit: Int {
        get { limitValue.load(ordering: .relaxed) }
        set { limitValue.store(newValue, ordering: .relaxed) }
    }

    /// Bytes in use.
    public var used: Int { usedValue.load(ordering: .relaxed) }

    /// Requests that were refused because there was no room.
    public var refused: Int { refusedValue.load(ordering: .relaxed) }

    /// Counts a head that has grown from `former` to `count` bytes.
    ///
    /// Returns false, without counting, if that is too much.
    func grow(from former: Int, to count: Int) -> Bool {
        let used = usedValue.add(count - former, ordering: .relaxed).newValue
        guard count > former, used > (count > Self.smallHead ? limit / 2 : limit) else { return true }
        usedValue.subtract(count - former, ordering: .relaxed)
        refusedValue.add(1, ordering: .relaxed)
        report()
        return false
    }

    /// Subtracts a head of `count` counted bytes, which is complete, or whose connection is gone.
    func leave(_ count: Int) { usedValue.subtract(count, ordering: .relaxed) }
}
