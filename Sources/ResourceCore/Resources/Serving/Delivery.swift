import Exchanges
import HTTPCore

/// An answer, and whose it is.
struct Reply: Sendable {
    let waiter: Waiter
    let answer: CacheResult

    init(_ waiter: Waiter, _ answer: CacheResult) {
        self.waiter = waiter
        self.answer = answer
    }
}

/// Brings answers to delegates, each on its context, those of one context by one call.
///
/// What is under way to a context holds the delegate by itself: the waiter has let go of it, so that nothing is left
/// behind where a context ends first.
enum Delivery {
    private struct Item<Message: Sendable>: Sendable {
        let waiter: Waiter
        let delegate: any WaiterDelegate
        let message: Message
    }

    static func deliver(_ replies: [Reply]) { deliver(TinyArray(replies)) }

    static func deliver(_ replies: TinyArray<Reply>) {
        if replies.isEmpty { return }
        if replies.rest.isEmpty, let only = replies.first { return deliver(only.answer, to: only.waiter) }
        let items = replies.compactMap { reply in
            reply.waiter.takeDelegate().map {
                Item(waiter: reply.waiter, delegate: $0, message: reply.answer)
            }
        }
        perform(items) { delegate, answer in delegate.waiterDidReceive(answer) }
    }

    private static func deliver(_ answer: CacheResult, to waiter: Waiter) {
        guard let delegate = waiter.takeDelegate() else { return }
        let context = delegate.context
        guard context.isCurrent else {
            return context.submit { if !waiter.isCancelled { delegate.waiterDidReceive(answer) } }
        }
        if !waiter.isCancelled { delegate.waiterDidReceive(answer) }
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
