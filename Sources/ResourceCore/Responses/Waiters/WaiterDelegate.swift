public import Exchanges
public import HTTPCore

/// Receives the result of one request: the proxy's side of a client's exchange.
///
/// Every call comes on `context`, under no lock, never inside the call of `serve(_:to:)`.
public protocol WaiterDelegate: AnyObject, Sendable {
    var context: any DeliveryContext { get }

    /// A 1xx head of the load that the request waits for; any number, before the result.
    func waiterDidReceiveInterim(_ head: ResponseHead)
    /// The result; once, and not after `Waiter.cancel` was called on `context`.
    func waiterDidReceive(_ answer: CacheResult)
}

/// What `Resource.serve(_:to:)` returns.
public enum ServeResult: Sendable {
    /// The result is known: the delegate is not called; `.following` comes with its waiter.
    case answered(CacheResult, Waiter?)
    /// The delegate will be called.
    case waiting(Waiter)
}

/// Finds what a request waits for, without keeping it alive: the resource.
protocol WaiterOwner: Sendable {
    /// The request has left, or needs no more of the response.
    func cancel(_ waiter: Waiter)
}
