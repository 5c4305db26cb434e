import Exchanges
import HTTPCore

/// An answer, and whose it is.
struct Reply: Sendable {
    let attendance: Attendance
    let answer: Answer

    init(_ attendance: Attendance, _ answer: Answer) {
        self.attendance = attendance
        self.answer = answer
    }
}

/// Brings answers to attendants, each on its context, those of one context by one call.
///
/// What is under way to a context holds the attendant by itself: the attendance has let go of it, so that nothing is left
/// behind where a context ends first.
enum Delivery {
    private struct Item<Message: Sendable>: Sendable {
        let attendance: Attendance
        let attendant: any Attendant
        let message: Message
    }

    static func deliver(_ replies: [Reply]) { deliver(Few(replies)) }

    static func deliver(_ replies: Few<Reply>) {
        if replies.isEmpty { return }
        if replies.rest.isEmpty, let only = replies.first { return deliver(only.answer, to: only.attendance) }
        let items = replies.compactMap { reply in
            reply.attendance.takeAttendant().map {
                Item(attendance: reply.attendance, attendant: $0, message: reply.answer)
            }
        }
        perform(items) { attendant, answer in attendant.attendanceDidReceive(answer) }
    }

    private static func deliver(_ answer: Answer, to attendance: Attendance) {
        guard let attendant = attendance.takeAttendant() else { return }
        let context = attendant.context
        guard context.isCurrent else {
            return context.submit { if !attendance.isCancelled { attendant.attendanceDidReceive(answer) } }
        }
        if !attendance.isCancelled { attendant.attendanceDidReceive(answer) }
    }

    static func deliver(_ head: ResponseHead, to attendances: Few<Attendance>) {
        let items = attendances.compactMap { attendance in
            attendance.attendant.map { Item(attendance: attendance, attendant: $0, message: head) }
        }
        perform(items) { attendant, head in attendant.attendanceDidReceiveInterim(head) }
    }

    private static func perform<Message: Sendable>(
        _ items: [Item<Message>],
        _ call: @escaping @Sendable (any Attendant, Message) -> Void
    ) {
        if items.isEmpty { return }
        if items.count == 1, items[0].attendant.context.isCurrent {
            if !items[0].attendance.isCancelled { call(items[0].attendant, items[0].message) }
            return
        }
        var groups: [ObjectIdentifier: (context: any DeliveryContext, items: [Item<Message>])] = [:]
        for item in items {
            let context = item.attendant.context
            groups[ObjectIdentifier(context), default: (context, [])].items.append(item)
        }
        for group in groups.values {
            let items = group.items
            let work: @Sendable () -> Void = {
                for item in items where !item.attendance.isCancelled { call(item.attendant, item.message) }
            }
            if group.context.isCurrent { work() } else { group.context.submit(work) }
        }
    }
}
