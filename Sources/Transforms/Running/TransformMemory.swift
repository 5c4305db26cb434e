import Locking

/// The memory of all runs together that need whole contents (H-131); safe from any thread.
///
/// A run begins when there is room for what it is expected to take, and waits for that without having taken anything: what
/// it reads is not asked of the origin meanwhile. One that turns out to need more than expected, and finds none, fails. So
/// no two runs wait for each other.
public final class TransformMemory: Sendable {
    /// A byte of content takes so many: itself, what is made of it to work with, and the result.
    static let factor = 3
    /// What a run is expected to take in whose length nobody tells.
    static let usualContent = 256 * 1024

    private struct State {
        var limit: Int
        var used = 0
        var refused = 0
        /// Runs that wait, first come first served: what makes each try again.
        var waiting: [@Sendable () -> Void] = []
    }

    private let state: Lock<State>

    /// Told of each run that is given up.
    private let report: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: bytes.
    ///   - report: told of each run that is given up, on any thread.
    public init(limit: Int = .max, report: @escaping @Sendable () -> Void = {}) {
        state = Lock(State(limit: limit))
        self.report = report
    }

    /// Bytes all runs may take; may change at any time.
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

    /// Bytes set aside now.
    public var used: Int { state.withLock { $0.used } }

    /// Runs that were given up because there was no room, since the start.
    public var refused: Int { state.withLock { $0.refused } }

    /// Room for content of this length, or for one whose length is not known; nil: there is none now, and `wake` is called
    /// once when it is worth trying again.
    ///
    /// Content that is larger than everything begins when nothing else runs.
    func share(for count: Int64?, or wake: @escaping @Sendable () -> Void) -> Share? {
        let granted: Int? = state.withLock { state in
            let bytes = min(Self.bytes(for: count ?? Int64(Self.usualContent)), state.limit)
            guard bytes <= state.limit - state.used || state.used == 0 else {
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

    /// More room for a run that has some; false if there is none.
    ///
    /// The only one always gets it.
    private func grow(from bytes: Int, to wanted: Int) -> Bool {
        state.withLock { state in
            guard wanted - bytes <= state.limit - state.used || state.used == bytes else { return false }
            state.used += wanted - bytes
            return true
        }
    }

    /// A run has waited too long.
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

    /// What one run has of it; given back when the last reference goes.
    final class Share: Sendable {
        private let memory: TransformMemory
        private let bytes: Lock<Int>

        fileprivate init(_ memory: TransformMemory, bytes: Int) {
            self.memory = memory
            self.bytes = Lock(bytes)
        }

        deinit { memory.release(bytes.withLock { $0 }) }

        /// Makes sure of room for content of this length; false if there is none.
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
