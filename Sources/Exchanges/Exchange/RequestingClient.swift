public import HTTPCore
import Locking

/// The client for which a request goes to an origin.
public struct RequestingClient: Sendable {
    /// Its address: look-ups of names count to its share; nil: not known.
    public var address: IPAddress?
    /// Measures the times of the exchange; nil: they are not wanted.
    public var stopwatch: Stopwatch?

    public init(address: IPAddress?, stopwatch: Stopwatch? = nil) {
        self.address = address
        self.stopwatch = stopwatch
    }
}

/// Measures the times of a client's request to an origin; of several attempts, those of the last.
///
/// Safe from any thread.
public final class Stopwatch: Sendable {
    private let taken = Lock(UpstreamTimings())

    public init() {}

    /// What has been taken so far.
    public var timings: UpstreamTimings { taken.withLock { $0 } }

    /// A new attempt begins: forgets the times of the one before.
    public func reset() { change { $0 = UpstreamTimings() } }

    /// Changes what has been taken; `body` runs under a lock.
    public func change(_ body: (inout UpstreamTimings) -> Void) { taken.withLock(body) }
}
