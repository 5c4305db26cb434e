import Dispatch
import Exchanges
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

@Suite("Delivery on executors of programs")
struct DeliveryExecutorTests {
    private func service(_ delivery: (any DeliveryContext)?) -> Service {
        Service(
            baseURL: "http://origin.example",
            networking: StubNetworking { _ in .answer(200, [("Content-Type", "text/plain")], "abc") },
            delivery: delivery
        )
    }

    @Test("on the main actor, observers and hooks are isolated to it, in the order of the events (S-123, S-124)")
    func mainActor() async {
        let notes = LockedBox<[String]>([])
        let (resource, owner) = (service(.mainActor).resource("a"), Owner())
        resource.addObserver(owner: owner) { _, change in
            if change.event != .observerAdded { MainActor.preconditionIsolated() }
            notes.change { $0.append("\(change.event)") }
        }
        _ = await resource.load().onSuccess { _ in
            MainActor.preconditionIsolated()
            notes.change { $0.append("success") }
        }.outcome
        #expect(notes.value == ["observerAdded", "requested", "newData(network)", "success"])
        withExtendedLifetime(owner) {}
    }

    @Test("work on the main actor runs first in, first out, never inside of the submission")
    @MainActor func mainActorOrder() async {
        let notes = LockedBox<[Int]>([])
        let delivery: any DeliveryContext = SerialDelivery.mainActor
        for number in 0..<100 {
            delivery.submit {
                if number % 10 == 0 { delivery.submit { notes.change { $0.append(1000 + number) } } }
                notes.change { $0.append(number) }
            }
        }
        #expect(notes.value.isEmpty && !delivery.isCurrent)
        await SerialDelivery.mainActor.flush()
        await SerialDelivery.mainActor.flush()
        #expect(notes.value == Array(0..<100) + (0..<10).map { 1000 + $0 * 10 })
    }

    @Test("on an executor of the program's, observers and hooks run there, one at a time (S-123)")
    func executor() async {
        let executor = QueueExecutor()
        let resource = service(.executor(executor)).resource("a")
        let (owner, notes) = (Owner(), LockedBox<[String]>([]))
        resource.addObserver(owner: owner) { _, change in
            notes.change { $0.append("\(change.event) \(QueueExecutor.isCurrent)") }
        }
        _ = await resource.load().onSuccess { _ in notes.change { $0.append("success \(QueueExecutor.isCurrent)") } }
            .outcome
        #expect(
            notes.value == ["observerAdded false", "requested true", "newData(network) true", "success true"]
        )
        withExtendedLifetime(owner) {}
    }
}
