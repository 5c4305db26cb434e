import Platform

/// Why a test's own tools failed, in a sentence.
public struct HarnessError: Error, CustomStringConvertible {
    public var description: String

    public init(_ description: String) { self.description = description }
}

/// A value that several threads change and wait for.
public final class SharedValue<Value: Sendable>: Sendable {
    private let monitor: Monitor<Value>

    public init(_ value: Value) { monitor = Monitor(value) }

    public var current: Value { update { $0 } }

    /// Changes the value, and wakes the threads that wait for it.
    @discardableResult
    public func update<R>(_ body: (inout Value) -> R) -> R {
        defer { monitor.wakeAll() }
        return monitor.withLock(body)
    }

    /// Waits until `find` returns a result for the value.
    ///
    /// - Parameter what: for the error that is thrown after `seconds`.
    public func wait<R>(
        _ what: String,
        seconds: Int = 120 * Sanitizer.patience,
        until find: (Value) -> R?
    ) throws -> R {
        if let result = monitor.wait(for: .seconds(seconds), until: { find($0) }) { return result }
        throw HarnessError("waited \(seconds) s in vain for \(what); state: \(current)")
    }
}

/// An event that happens once, and that threads wait for.
public struct Gate: Sendable {
    private let isOpen = SharedValue(false)

    public init() {}

    public func open() { isOpen.update { $0 = true } }

    public func wait(_ what: String = "a gate", seconds: Int = 120 * Sanitizer.patience) throws {
        try isOpen.wait(what, seconds: seconds) { $0 ? () : nil }
    }
}

extension Gate {
    /// How many seconds to wait for a task: beside thousands of other tests, each has its turn late.
    public static let secondsForTask = 900 * Sanitizer.patience

    /// Waits for a task, without blocking a thread of Swift's runtime, on which the code under test may depend.
    public func opened() async throws {
        try await withCheckedThrowingContinuation { continuation in
            BackgroundThread { continuation.resume(with: Result { try wait(seconds: Self.secondsForTask) }) }
        }
    }
}

/// A count of events; threads wait until it reaches a number.
public struct Tally: Sendable {
    private let count = SharedValue(0)

    public init() {}

    public var value: Int { count.current }

    @discardableResult
    public func add() -> Int {
        count.update {
            $0 += 1
            return $0
        }
    }

    public func wait(for number: Int, _ what: String = "a tally", seconds: Int = 120 * Sanitizer.patience) throws {
        try count.wait("\(what) to reach \(number)", seconds: seconds) { $0 >= number ? () : nil }
    }
}
