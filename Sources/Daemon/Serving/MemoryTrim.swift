import Eventing
import Exchanges
import HTTPCore
import Locking
import Platform
import ResourceCore

/// Returns freed memory to the system when the process has much more of it than stored responses need.
///
/// The allocator keeps much free memory after a purge, a flush or a lowered limit, and when new contents are much
/// larger than evicted ones. This type checks every second. While it returns memory, threads that allocate may have to
/// wait. So that takes at most a twentieth of the time.
final class MemoryTrim: Sendable {
    private static let interval = Duration.seconds(1)
    private static let share = 20

    private let timekeeper: any Timekeeper
    private let resident: @Sendable () -> Int?
    private let used: @Sendable () -> Int
    private let workers: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let releaseMemory: @Sendable () -> Void
    private let excess = Lock(MemoryExcess())

    /// - Parameters:
    ///   - resident: returns the resident bytes of the process.
    ///   - used: returns the bytes of stored responses in memory.
    ///   - workers: runs long work; returns false if it cannot.
    ///   - releaseMemory: returns memory to the system.
    init(
        _ timekeeper: any Timekeeper,
        resident: @escaping @Sendable () -> Int? = { ResidentMemory.now?.anonymous },
        used: @escaping @Sendable () -> Int,
        workers: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool,
        releaseMemory: @escaping @Sendable () -> Void = { ProcessMemory.trim() }
    ) {
        self.timekeeper = timekeeper
        self.resident = resident
        self.used = used
        self.workers = workers
        self.releaseMemory = releaseMemory
    }

    /// Starts to check; stops when this object is released.
    ///
    /// Memory that is resident now, beyond stored responses, counts as needed for other things.
    func start() { look() }

    private func look(after delay: Duration) {
        timekeeper.after(delay) { [weak self] in self?.look() }
    }

    private func look() {
        guard let resident = resident() else { return }
        let used = used()
        let isDue = excess.withLock { $0.isDue(resident: resident, used: used) }
        if !isDue || !workers({ [weak self] in self?.trim() }) { look(after: Self.interval) }
    }

    private func trim() {
        let start = timekeeper.now
        let before = resident()
        releaseMemory()
        let time = timekeeper.now - start
        if let before, let after = resident() {
            let used = used()
            excess.withLock { $0.didTrim(before - after, resident: after, used: used) }
        }
        look(after: max(Self.interval, time * Self.share))
    }
}

/// Decides whether returning memory is worth the time, by the memory that is resident beyond stored responses.
struct MemoryExcess {
    /// A smaller excess is not returned: the process may need it later.
    static let least = 4 << 20
    /// After how many checks to try again without growth; each attempt that returns little doubles it.
    private static let patience = 4...512

    /// The excess at the last return, or the least since; nil before the first check.
    private var rest: Int?
    private var previous = 0
    /// Whether a response was stored or removed since the last return.
    private var hasChanged = false
    private var looks = 0
    private var patience = Self.patience.lowerBound

    /// Whether at least a sixteenth of the stored bytes can probably be returned.
    ///
    /// That is so once the excess has grown by as much, or after some time in which entries came and went.
    ///
    /// - Parameters:
    ///   - resident: returns the resident bytes of the process.
    ///   - used: bytes of stored responses.
    mutating func isDue(resident: Int, used: Int) -> Bool {
        let excess = resident - used
        let rest = min(rest ?? excess, excess)
        self.rest = rest
        hasChanged = hasChanged || used != previous
        previous = used
        looks += 1
        let step = Self.step(used)
        return excess - rest >= step || excess >= step && hasChanged && looks >= patience
    }

    /// - Parameters:
    ///   - given: how many bytes were returned.
    ///   - resident: resident bytes of the process now.
    mutating func didTrim(_ given: Int, resident: Int, used: Int) {
        rest = resident - used
        hasChanged = false
        looks = 0
        let wasWorthIt = given >= Self.step(used) / 2
        patience = wasWorthIt ? Self.patience.lowerBound : min(patience * 2, Self.patience.upperBound)
    }

    private static func step(_ used: Int) -> Int { max(least, used / 16) }
}
