import Exchanges
import HTTPCore

/// A result, and the waiter that gets it.
struct WaiterResult: Sendable {
    let waiter: Waiter
    let result: CacheResult

    init(_ waiter: Waiter, _ result: CacheResult) {
        self.waiter = waiter
        self.result = result
    }
}

/// Delivers results to delegates, each on its context, with one call per context.
///
/// A delivery in progress refers to the delegate itself. The waiter has released it, so nothing is left behind if the
/// context ends first.
enum Delivery {
    private struct Item<Message: Sendable>: Sendable {
        let waiter: Waiter
        let delegate: any WaiterDelegate
        let message: Message
    }

    static func deliver(_ results: [WaiterResult]) { deliver(TinyArray(results)) }

    static func deliver(_ results: TinyArray<WaiterResult>) {
        if results.isEmpty { return }
        if let only = results.only { return deliver(only.result, to: only.waiter) }
        let items = results.compactMap { result in
            result.waiter.takeDelegate().map {
                Item(waiter: result.waiter, delegate: $0, message: result.result)
            }
        }
        perform(items) { delegate, result in delegate.waiterDidReceive(result) }
    }

    private static func deliver(_ result: CacheResult, to waiter: Waiter) {
        guard let delegate = waiter.takeDelegate() else { return }
        let context = delegate.context
        guard context.isCurrent else {
            return context.submit { if !waiter.isCancelled { delegate.waiterDidReceive(result) } }
        }
        if !waiter.isCancelled { delegate.waiterDidReceive(result) }
    }

    static func deliver(_ head: ResponseHead, to requests: TinyArray<WaitingRequest>) {
        let items = requests.compactMap { request in
            request.waiter.delegate.map { Item(waiter: request.waiter, delegate: $0, message: head) }
        }
        perform(items) { delegate, head in delegate.waiterDidReceiveInterim(head) }
    }

    private static func perform<Message: Sendable>(
        _ items: [Item<Message>],
        _ call: @escaping @Sendable (any WaiterDelegate, Message) -> Void
    ) {
        if items.isEmpty { return }
        if items.count == 1, items[0].delegate.context.isCurrent {
            if !items[0].waiter.isCancelled { call(items[0].delegate, items[0].message) }
            return
        }
        var groups: [ObjectIdentifier: (context: any DeliveryContext, items: [Item<Message>])] = [:]
        for item in items {
            let context = item.delegate.context
            groups[ObjectIdentifier(context), default: (context, [])].items.append(item)
        }
        for group in groups.values {
            let items = group.items
            let work: @Sendable () -> Void = {
                for item in items where !item.waiter.isCancelled { call(item.delegate, item.message) }
            }
            if group.context.isCurrent { work() } else { group.context.submit(work) }
        }
    }
}
