import Locking

/// The memory that all runs that need whole contents share (H-131).
///
/// Safe from any thread.
///
/// A run begins when there is room for the content that it expects. While it waits, it has no memory and reads nothing
/// from the origin. A run that needs more than expected, and finds none, fails. So no two runs wait for each other.
public final class TransformMemory: Sendable {
    /// The bytes of memory for each byte of content: the content itself, the parsed form and the result.
    static let factor = 3
    /// The expected size of content of unknown length.
    static let usualContent = 256 * 1024

    private struct State {
        var limit: Int
        var used = 0
        var refused = 0
        /// The wake-up calls of runs that wait, in the order they came.
        var waiting: [@Sendable () -> Void] = []
    }

    private let state: Lock<State>

    /// Called for each run that gives up.
    private let report: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: in bytes.
    ///   - report: called for each run that gives up, on any thread.
    public init(limit: Int = .max, report: @escaping @Sendable () -> Void = {}) {
        state = Lock(State(limit: limit))
        self.report = report
    }

    /// The number of bytes that all runs together may use; it may change at any time.
    public var limit: Int {
        get { state.withLock { $0.limit } }
        set {
            let waiting = state.withLock { state in
                state.limit = newValue
                defer { state.waiting = [] }
                return state.waiting
            }
            for wake in waiting { wake() }
        }
    }

    /// The number of bytes reserved now.
    public var used: Int { state.withLock { $0.used } }

    /// The number of runs that gave up since the start because there was no room.
    public var refused: Int { state.withLock { $0.refused } }

    /// Reserves memory for content of this length; nil stands for an unknown length.
    ///
    /// Returns nil if there is no room now. Then `wake` is called once when trying again may succeed. Content larger
    /// than the limit gets its share when no other run has any.
    func share(for count: Int64?, or wake: @escaping @Sendable () -> Void) -> Share? {
        let granted: Int? = state.withLock { state in
            let bytes = min(Self.bytes(for: count ?? Int64(Self.usualContent)), state.limit)
            guard bytes <= state.limit - state.used else {
                state.waiting.append(wake)
                return nil
            }
            state.used += bytes
            return bytes
        }
        return granted.map { Share(self, bytes: $0) }
    }

    private static func bytes(for count: Int64) -> Int {
        let (product, overflow) = Int(clamping: count).multipliedReportingOverflow(by: factor)
        return overflow ? Int.max / 2 : product
    }

    /// Increases the share of a run; returns false if there is no room.
    ///
    /// A run that is the only one always succeeds.
    private func grow(from bytes: Int, to wanted: Int) -> Bool {
        state.withLock { state in
            guard wanted - bytes <= state.limit - state.used || state.used == bytes else { return false }
            state.used += wanted - bytes
            return true
        }
    }

    /// Counts a run that gives up.
    func refuse() {
        state.withLock { $0.refused += 1 }
        report()
    }

    private func release(_ bytes: Int) {
        let waiting = state.withLock { state in
            state.used -= bytes
            defer { state.waiting = [] }
            return state.waiting
        }
        for wake in waiting { wake() }
    }

    /// The share of one run, released with the last reference.
    final class Share: Sendable {
        private let memory: TransformMemory
        private let bytes: Lock<Int>

        fileprivate init(_ memory: TransformMemory, bytes: Int) {
            self.memory = memory
            self.bytes = Lock(bytes)
        }

        deinit { memory.release(bytes.withLock { $0 }) }

        /// Increases the share, if needed, for content of this length; returns false if there is no room.
        func covers(_ count: Int64) -> Bool {
            bytes.withLock { bytes in
                let wanted = TransformMemory.bytes(for: count)
                guard wanted > bytes else { return true }
                guard memory.grow(from: bytes, to: wanted) else { return false }
                bytes = wanted
                return true
            }
        }
    }
}
