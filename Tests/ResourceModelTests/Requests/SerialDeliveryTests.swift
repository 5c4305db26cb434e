import TestDoubles
import Locking
import Testing

@testable import ResourceCore
@testable import ResourceModel

@Suite("Delivery contexts of programs")
struct SerialDeliveryTests {
    @Test("work runs one after another, first in, first out, never inside of the submission, and knows where it is")
    func order() async {
        let delivery = SerialDelivery()
        let notes = LockedBox<[Int]>([])
        let isRunning = LockedBox(false)
        let overlaps = LockedBox(0)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<250 {
                        delivery.submit {
                            if isRunning.change({ running in
                                defer { running = true }
                                return running
                            }) {
                                overlaps.change { $0 += 1 }
                            }
                            if !delivery.isCurrent { overlaps.change { $0 += 1 } }
                            notes.change { $0.append(thread * 1000 + number) }
                            isRunning.change { $0 = false }
                        }
                    }
                }
            }
        }
        await delivery.flush()
        #expect(overlaps.value == 0 && notes.value.count == 1000)
        for thread in 0..<4 {
            let own = notes.value.filter { $0 / 1000 == thread }
            #expect(own == own.sorted())
        }
        #expect(!delivery.isCurrent)
    }

    @Test("an executor is asked once for all that waits, and once more for what that submits")
    func batches() {
        let context = ManualContext()
        let delivery = SerialDelivery { work in context.submit(work) }
        let notes = LockedBox<[String]>([])
        for number in 1...2 {
            delivery.submit {
                notes.change { $0.append("\(number) \(delivery.isCurrent)") }
                delivery.submit { notes.change { $0.append("inner \(number)") } }
            }
        }
        #expect(context.submissions == 1 && notes.value.isEmpty)
        context.run()
        #expect(context.submissions == 2 && notes.value == ["1 true", "2 true", "inner 1", "inner 2"])
        delivery.submit { notes.change { $0.append("later") } }
        #expect(context.submissions == 3 && !delivery.isCurrent)
        context.run()
        #expect(notes.value.last == "later" && context.submissions == 3)
    }

    @Test("what work submits runs behind it; another context is not current meanwhile")
    func nested() async {
        let delivery = SerialDelivery()
        let other = SerialDelivery()
        let notes = LockedBox<[String]>([])
        await withCheckedContinuation { continuation in
            delivery.submit {
                delivery.submit {
                    notes.change { $0.append("inner") }
                    continuation.resume()
                }
                notes.change { $0.append(other.isCurrent ? "wrong" : "outer") }
            }
        }
        #expect(notes.value == ["outer", "inner"])
    }
}
