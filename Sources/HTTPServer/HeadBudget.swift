import Synchronization

/// Bytes of unfinished request heads over all connections that share it (H-132); safe from any thread.
///
/// Half of it is for heads of up to 4 KiB alone: clients that hold back large ones do not shut out those whose small ones come
/// in two pieces.
public final class HeadBudget: Sendable {
    private static let smallHead = 4096

    private let limitValue: Atomic<Int>
    private let usedValue = Atomic(0)
    private let refusedValue = Atomic(0)
    /// Told of each refusal, on the loop where it happens.
    private let report: @Sendable () -> Void

    init(limit: Int, report: @escaping @Sendable () -> Void) {
        limitValue = Atomic(limit)
        self.report = report
    }

    /// Bytes there may be; may change at any time.
    public internal(set) var limit: Int {
        get { limitValue.load(ordering: .relaxed) }
        set { limitValue.store(newValue, ordering: .relaxed) }
    }

    /// Bytes there are.
    public var used: Int { usedValue.load(ordering: .relaxed) }

    /// Requests that were refused for want of room, since the start.
    public var refused: Int { refusedValue.load(ordering: .relaxed) }

    /// A head of which `held` bytes had come has now `count`; false if that is too much, and `held` stays what counts.
    func grow(from held: Int, to count: Int) -> Bool {
        let used = usedValue.add(count - held, ordering: .relaxed).newValue
        guard count > held, used > (count > Self.smallHead ? limit / 2 : limit) else { return true }
        usedValue.subtract(count - held, ordering: .relaxed)
        refusedValue.add(1, ordering: .relaxed)
        report()
        return false
    }

    /// A head is whole, or its connection gone.
    func leave(_ held: Int) { usedValue.subtract(held, ordering: .relaxed) }
}
