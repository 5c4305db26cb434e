import Eventing
import Locking
import ResourceCore

/// Gives memory back to the system when much of what was stored has left it: a purge, a flush, a lower limit.
///
/// It looks once a minute. Eviction never leads there: what it frees is taken again at once.
final class MemoryTrim: Sendable {
    private static let interval = Duration.seconds(60)

    private let timekeeper: any Timekeeper
    private let used: @Sendable () -> Int
    private let workers: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let fall: Lock<MemoryFall>

    /// - Parameters:
    ///   - used: octets of stored responses in memory.
    ///   - workers: runs what may take a while.
    init(
        _ timekeeper: any Timekeeper,
        used: @escaping @Sendable () -> Int,
        workers: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.timekeeper = timekeeper
        self.used = used
        self.workers = workers
        fall = Lock(MemoryFall())
    }

    /// Looks from now on, as long as anybody holds this object.
    func start() {
        timekeeper.after(Self.interval) { [weak self] in
            guard let self else { return }
            let used = used()
            if fall.withLock({ $0.isDue(used) }) { workers { ProcessMemory.giveBack() } }
            start()
        }
    }
}

/// Whether so much less is in use than once was that the allocator should give it back.
struct MemoryFall {
    /// Less than this stays with the process, for what comes next.
    static let least = 32 << 20

    /// The most since that was so.
    private var peak = 0

    /// - Parameter used: octets in use now.
    mutating func isDue(_ used: Int) -> Bool {
        let isDue = peak - used >= max(Self.least, peak / 4)
        peak = isDue ? used : max(peak, used)
        return isDue
    }
}
