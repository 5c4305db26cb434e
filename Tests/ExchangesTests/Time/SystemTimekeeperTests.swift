import Exchanges
import HTTPCore
import TestDoubles
import Testing

@Suite("The system's clocks") struct SystemTimekeeperTests {
    private let timekeeper: any Timekeeper = SystemTimekeeper.shared

    @Test("time counts from the first use, and does not go back")
    func monotonic() {
        let (first, second) = (timekeeper.now, timekeeper.now)
        #expect(first <= second && first.nanoseconds >= 0)
        // Since the program started, which is less than the time since the machine did.
        #expect(second.nanoseconds < 3_600_000_000_000)
    }

    @Test("a timer runs its work once; a cancelled one never does")
    func timers() async {
        let ran = LockedBox<[String]>([])
        let late = timekeeper.after(.seconds(3600)) { ran.change { $0.append("late") } }
        let endless = timekeeper.after(.seconds(Int64.max)) { ran.change { $0.append("endless") } }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            _ = timekeeper.after(.milliseconds(1)) {
                ran.change { $0.append("soon") }
                continuation.resume()
            }
        }
        late.cancel()
        endless.cancel()
        #expect(ran.value == ["soon"])
    }
}
