import Exchanges
import HTTPCore
import Locking

/// Stands between a resource, which knows originals, and a client where a pipeline may apply: derives what it is told.
final class DerivingAttendant: Attendant {
    private let client: any Attendant
    private let form: RequestedForm
    /// Gone, perhaps, when an answer comes that it gave before: the answer counts all the same.
    private weak let resource: Resource?
    private let hash: UInt64
    private let environment: CoreEnvironment
    private let configuration: Configuration
    /// What the resource made of the request; there before it calls.
    private let attendance = Lock<Attendance?>(nil)

    init(
        _ client: any Attendant,
        _ form: RequestedForm,
        _ resource: Resource,
        _ configuration: Configuration
    ) {
        self.client = client
        self.form = form
        self.resource = resource
        hash = resource.hash
        environment = resource.core.table.environment
        self.configuration = configuration
    }

    var context: any DeliveryContext { client.context }

    /// The request, made fit for the pipeline, waits here.
    func expect(_ attendance: Attendance) { self.attendance.withLock { $0 = attendance } }

    func attendanceDidReceiveInterim(_ head: ResponseHead) { client.attendanceDidReceiveInterim(head) }

    func attendanceDidReceive(_ answer: Answer) {
        guard let attendance = attendance.withLock({ $0.take() }) else { return }
        if let derived = derive(answer, { attendance }) { client.attendanceDidReceive(derived) }
    }

    /// What `answer` becomes; nil if the client is told later, by the attendance asked for.
    func derive(_ answer: Answer, _ attendance: () -> Attendance) -> Answer? {
        switch answer {
        case .stored(let stored, let outcome):
            // What was set here is served as it was set (S-171).
            stored.isLocal ? answer : derive(.stored(stored), outcome, attendance)
        case .following(let loaded, let outcome):
            derive(.loaded(loaded), outcome, attendance)
        case .pass, .failure, .refused:
            answer
        }
    }

    private func derive(
        _ original: OriginalResponse,
        _ outcome: CacheOutcome,
        _ attendance: () -> Attendance
    ) -> Answer? {
        guard let plan = form.plan(status: original.status, fields: original.fields) else {
            return original.untouched(outcome)
        }
        let forms = original.forms
        if case .stored(let stored) = original, let known = forms.derived(of: stored, form.key) {
            known.noteUse()
            return .stored(known, outcome)
        }
        let waiter = DerivedContent.Waiter(attendance: attendance(), original: original, outcome: outcome)
        while true {
            let (content, isNew, left) = forms.content(form.key) {
                DerivedContent(plan, original, hash, resource, configuration, environment)
            }
            for content in left {
                content.forgo()
                environment.eviction?.didRemove(content)
            }
            if !left.isEmpty { resource?.formsDidChange() }
            if isNew { content.start(of: original) }
            waiter.attendance.wait(for: content, attendant: client)
            let joining = content.join(waiter, isNew: isNew)
            if waiter.attendance.hasLeft(content) { return nil }
            switch joining {
            case .answered(let answer):
                // What it follows stays known, so that its leaving counts.
                _ = waiter.attendance.takeAttendant()
                return answer
            case .waiting:
                return nil
            case .over:
                continue
            }
        }
    }
}
