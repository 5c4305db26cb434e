import Locking

/// A value several threads may change.
final class LockedBox<Value: Sendable>: Sendable {
    private let lock: Lock<Value>

    init(_ value: Value) { lock = Lock(value) }

    var value: Value { lock.withLock { $0 } }
    func change<R>(_ body: (inout Value) -> R) -> R { lock.withLock { body(&$0) } }
}
