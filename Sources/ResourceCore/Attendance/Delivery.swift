import HTTPCore

/// Brings answers to attendants, each on its context, those of one context by one call.
enum Delivery {
    static func deliver(_ answers: [(Attendance, Answer)]) {
        perform(answers) { attendance, answer in attendance.takeAttendant()?.attendanceDidReceive(answer) }
    }

    static func deliver(_ head: ResponseHead, to attendances: [Attendance]) {
        perform(attendances.map { ($0, head) }) { attendance, head in
            attendance.attendant?.attendanceDidReceiveInterim(head)
        }
    }

    private static func perform<Message: Sendable>(
        _ messages: [(Attendance, Message)],
        _ call: @escaping @Sendable (Attendance, Message) -> Void
    ) {
        if messages.isEmpty { return }
        if messages.count == 1, let context = messages[0].0.attendant?.context, context.isCurrent {
            let (attendance, message) = messages[0]
            if !attendance.isCancelled { call(attendance, message) }
            return
        }
        var groups: [ObjectIdentifier: (context: any DeliveryContext, messages: [(Attendance, Message)])] = [:]
        for message in messages {
            guard let context = message.0.attendant?.context else { continue }
            groups[ObjectIdentifier(context), default: (context, [])].messages.append(message)
        }
        for group in groups.values {
            let messages = group.messages
            let work: @Sendable () -> Void = {
                for (attendance, message) in messages where !attendance.isCancelled { call(attendance, message) }
            }
            if group.context.isCurrent { work() } else { group.context.submit(work) }
        }
    }
}
