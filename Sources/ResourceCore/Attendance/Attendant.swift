public import Exchanges
public import HTTPCore

/// Waits for the answer to one request: the proxy's side of a client's exchange.
///
/// Every call comes on `context`, under no lock, never inside the call of `attend`.
public protocol Attendant: AnyObject, Sendable {
    var context: any DeliveryContext { get }

    /// A 1xx head of the load the request waits for; any number, before the answer.
    func attendanceDidReceiveInterim(_ head: ResponseHead)
    /// The answer; once, and not after `Attendance.cancel` was called on `context`.
    func attendanceDidReceive(_ answer: Answer)
}

/// What `Resource.attend` says at once.
public enum Attending: Sendable {
    /// The answer is known already; the attendant is not called. The attendance is there if the answer is `.following`.
    case answered(Answer, Attendance?)
    /// The attendant will be called.
    case waiting(Attendance)
}
