public import Exchanges
public import HTTPCore

/// Waits for the answer to one request: the proxy's side of a client's exchange.
///
/// Every call comes on `context`, under no lock, never inside the call of `attend`.
public protocol WaiterDelegate: AnyObject, Sendable {
    var context: any DeliveryContext { get }

    /// A 1xx head of the load the request waits for; any number, before the answer.
    func waiterDidReceiveInterim(_ head: ResponseHead)
    /// The answer; once, and not after `Waiter.cancel` was called on `context`.
    func waiterDidReceive(_ answer: CacheResult)
}

/// What `Resource.attend` says at once.
public enum ServeResult: Sendable {
    /// The answer is known already; the delegate is not called. The waiter is there if the answer is `.following`.
    case answered(CacheResult, Waiter?)
    /// The delegate will be called.
    case waiting(Waiter)
}
