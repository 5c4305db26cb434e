import HTTPCore

/// Brings answers to attendants, each on its context, those of one context by one call.
enum Delivery {
    static func deliver(_ answers: [(Attendance, Answer)]) {
        perform(answers) { attendance, answer in attendance.attendant.attendanceDidReceive(answer) }
    }

    static func deliver(_ head: ResponseHead, to attendances: [Attendance]) {
        perform(attendances.map { ($0, head) }) { attendance, head in
            attendance.attendant.attendanceDidReceiveInterim(head)
        }
    }

    private static func perform<Message: Sendable>(
        _ messages: [(Attendance, Message)],
        _ call: @escaping @Sendable (Attendance, Message) -> Void
    ) {
        if messages.isEmpty { return }
        var groups: [ObjectIdentifier: [(Attendance, Message)]] = [:]
        for message in messages {
            groups[ObjectIdentifier(message.0.attendant.context), default: []].append(message)
        }
        for group in groups.values {
            let context = group[0].0.attendant.context
            let work: @Sendable () -> Void = {
                for (attendance, message) in group where !attendance.isCancelled { call(attendance, message) }
            }
            if context.isCurrent { work() } else { context.submit(work) }
        }
    }
}
