import Exchanges
import TestDoubles
import Testing

@Suite("Subscriptions to events") struct EventSubscriptionTests {
    private let context = ManualContext()
    private let batches = LockedBox<[[String]]>([])

    private func subscription(bound: Int) -> EventSubscription<String> {
        EventSubscription(context, bound: bound, gap: { "missed \($0)" }) { [batches] events in
            batches.change { $0.append(events) }
        }
    }

    @Test("events come in order, all at once, by one submission for each delivery")
    func order() {
        let subscription = subscription(bound: 9)
        for event in ["a", "b", "c"] { subscription.post(event) }
        #expect(context.submissions == 1 && batches.value.isEmpty)
        context.run()
        #expect(batches.value == [["a", "b", "c"]])
        context.run()
        subscription.post("d")
        context.run()
        #expect(batches.value == [["a", "b", "c"], ["d"]] && context.submissions == 2)
    }

    @Test("beyond the bound events are counted, and a gap tells how many, once", arguments: [0, 1, 2])
    func gap(bound: Int) {
        let subscription = subscription(bound: bound)
        for event in ["a", "b", "c", "d"] { subscription.post(event) }
        context.run()
        let kept = max(1, bound)
        #expect(batches.value == [Array(["a", "b"].prefix(kept)) + ["missed \(4 - kept)"]])
        subscription.post("e")
        context.run()
        #expect(batches.value.last == ["e"] && batches.value.count == 2)
    }

    @Test("a cancelled one gets nothing more, neither what waits nor what comes")
    func cancelled() {
        let subscription = subscription(bound: 1)
        subscription.post("a")
        subscription.post("b")
        #expect(!subscription.isCancelled)
        subscription.cancel()
        #expect(subscription.isCancelled)
        context.run()
        subscription.post("c")
        context.run()
        #expect(batches.value.isEmpty && context.submissions == 1)
    }
}
