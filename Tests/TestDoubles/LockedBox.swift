import Locking

/// A value several threads may change.
public final class LockedBox<Value: Sendable>: Sendable {
    private let lock: Lock<Value>

    public init(_ value: Value) { lock = Lock(value) }

    public var value: Value { lock.withLock { $0 } }
    public func change<R>(_ body: (inout Value) -> R) -> R { lock.withLock { body(&$0) } }
}
