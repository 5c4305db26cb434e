import Eventing
import Exchanges
import HTTPCore
import Locking
import Platform
import ResourceCore

/// Gives memory back to the system when the process holds much more than what is stored takes.
///
/// Much of it is free, and yet of no use, after a purge or a flush, under a lower limit, and when contents come that are
/// much larger than those that leave for them. It looks every second; giving back, for which threads that allocate may
/// wait, takes a twentieth of the time at most.
final class MemoryTrim: Sendable {
    private static let interval = Duration.seconds(1)
    private static let share = 20

    private let timekeeper: any Timekeeper
    private let held: @Sendable () -> Int?
    private let used: @Sendable () -> Int
    private let workers: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let giveBack: @Sendable () -> Void
    private let excess = Lock(MemoryExcess())

    /// - Parameters:
    ///   - held: bytes the process holds.
    ///   - used: bytes of stored responses in memory.
    ///   - workers: runs what may take a while; false if it does not.
    ///   - giveBack: does it.
    init(
        _ timekeeper: any Timekeeper,
        held: @escaping @Sendable () -> Int? = { ResidentMemory.now?.anonymous },
        used: @escaping @Sendable () -> Int,
        workers: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool,
        giveBack: @escaping @Sendable () -> Void = { ProcessMemory.trim() }
    ) {
        self.timekeeper = timekeeper
        self.held = held
        self.used = used
        self.workers = workers
        self.giveBack = giveBack
    }

    /// Looks from now on, as long as anybody holds this object.
    ///
    /// What is held when this is called counts as in use for something else.
    func start() { look() }

    private func look(after delay: Duration) {
        timekeeper.after(delay) { [weak self] in self?.look() }
    }

    private func look() {
        guard let held = held() else { return }
        let used = used()
        let isDue = excess.withLock { $0.isDue(held: held, used: used) }
        if !isDue || !workers({ [weak self] in self?.trim() }) { look(after: Self.interval) }
    }

    private func trim() {
        let start = timekeeper.now
        let before = held()
        giveBack()
        let time = timekeeper.now - start
        if let before, let after = held() {
            let used = used()
            excess.withLock { $0.didGiveBack(before - after, held: after, used: used) }
        }
        look(after: max(Self.interval, time * Self.share))
    }
}

/// What the process holds beyond what is stored, and whether it is worth giving back.
struct MemoryExcess {
    /// Less than this stays with the process, for what comes next.
    static let least = 4 << 20
    /// After how many looks what could not be given back may be tried again.
    private static let patience = 4...512

    /// The excess when something was given back last, or the least since; nil before the first look.
    private var rest: Int?
    private var previous = 0
    /// Whether anything was stored or has left since something was given back last.
    private var hasChanged = false
    private var looks = 0
    private var patience = Self.patience.lowerBound

    /// Whether there is a sixteenth of what is stored that can be given back, as far as can be told.
    ///
    /// It can as soon as there is so much more than there was; and with time, while entries come and go.
    ///
    /// - Parameters:
    ///   - held: bytes the process holds.
    ///   - used: bytes of what is stored.
    mutating func isDue(held: Int, used: Int) -> Bool {
        let excess = held - used
        let rest = min(rest ?? excess, excess)
        self.rest = rest
        hasChanged = hasChanged || used != previous
        previous = used
        looks += 1
        let step = Self.step(used)
        return excess - rest >= step || excess >= step && hasChanged && looks >= patience
    }

    /// - Parameters:
    ///   - given: bytes that the process held and does not any more.
    ///   - held: those it holds now.
    mutating func didGiveBack(_ given: Int, held: Int, used: Int) {
        rest = held - used
        hasChanged = false
        looks = 0
        let wasWorthIt = given >= Self.step(used) / 2
        patience = wasWorthIt ? Self.patience.lowerBound : min(patience * 2, Self.patience.upperBound)
    }

    private static func step(_ used: Int) -> Int { max(least, used / 16) }
}
