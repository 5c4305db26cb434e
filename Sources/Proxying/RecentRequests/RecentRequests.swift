public import Eventing
import HTTPCore
import Locking
public import Observability

/// The latest requests of all loops: one ring on each.
///
/// Each ring has room for all that are kept: one connection may bring them all.
public final class RecentRequests: Sendable {
    private let start = MonotonicTime.now
    private let rings = Lock<[LoopBound<RequestRing>]>([])
    /// Nanoseconds from the monotonic clock to the wall clock.
    private let wallOffset = Lock<Int64?>(nil)

    public init() {}

    /// Makes the ring of the calling loop.
    ///
    /// - Parameter capacity: how many requests it keeps; 0: it records none.
    public func makeRing(on loop: EventLoop, capacity: Int) -> RequestRing {
        let ring = RequestRing(on: loop, since: start, capacity: capacity)
        rings.withLock { $0.append(LoopBound(ring, loop: loop)) }
        return ring
    }

    /// Copies the requests behind `id` on each loop; calls `completion` on one of the loops, with what makes the
    /// records.
    ///
    /// It is not called if a loop has ended.
    public func gather(
        after id: RequestID = .none,
        _ completion: @escaping @Sendable (_ records: @escaping @Sendable () -> RecentRecords) -> Void
    ) {
        let rings = rings.withLock { $0 }
        let copies = SharedCopies()
        let offset = currentOffset
        let countdown = Countdown(rings.count) {
            completion { RecentRecords(copies.all, wallOffset: offset) }
        }
        for ring in rings {
            ring.submit { ring in
                copies.add(ring.copy(after: id.number))
                countdown.arrive()
            }
        }
    }

    /// The same for all readers, so that a request keeps its time, until somebody sets the wall clock.
    private var currentOffset: Int64 {
        let offset = Logger.wallMilliseconds * 1_000_000 - MonotonicTime.now.nanoseconds
        return wallOffset.withLock { known in
            if let known, abs(known - offset) < 50_000_000 { return known }
            known = offset
            return offset
        }
    }
}

private final class SharedCopies: Sendable {
    private let copies = Lock<[RequestCopy]>([])

    var all: [RequestCopy] { copies.withLock { $0 } }

    func add(_ copy: RequestCopy) { copies.withLock { $0.append(copy) } }
}

extension RecentRecords {
    /// Makes records of the copies of all loops.
    fileprivate init(_ copies: [RequestCopy], wallOffset: Int64) {
        self.init()
        capacity = copies.map(\.capacity).max() ?? 0
        let requests = copies.flatMap(\.requests).sorted { $0.id < $1.id }
        let older = max(0, requests.count - capacity)
        records = requests.dropFirst(older).map { RequestRecord($0, wallOffset: wallOffset) }
        let dropped = copies.map(\.lastDropped).max() ?? 0
        lastDropped = RequestID(number: older > 0 ? max(dropped, requests[older - 1].id) : dropped)
        horizon = RequestID(number: copies.map(\.floor).min() ?? 0)
    }
}
