import Locking

/// What a closure of the admin API's source was called with, in order.
final class Noted<Value: Sendable>: Sendable {
    private let kept = Lock<[Value]>([])

    var all: [Value] { kept.withLock { $0 } }

    func note(_ value: Value) { kept.withLock { $0.append(value) } }
}
