import Eventing
import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// The latest requests of one loop, in a ring of fixed size.
///
/// A hit costs no allocation: it stores numbers and references to the URI and the rules of the stored response, never
/// to its content. Texts are made when somebody reads. Bound to its loop.
public final class RequestRing {
    private let loop: EventLoop
    private let start: MonotonicTime
    /// The lowest bits of each identifier.
    private let loopNumber: UInt64
    /// One more than are kept, or none: the oldest request of a full ring does not count any more.
    private var slots: [RequestSlot]
    /// Where the next request goes.
    private var next = 0
    private var lastID: UInt64 = 0
    /// The last identifier that had gone when the capacity last changed; 0: none.
    private var lastCut: UInt64 = 0

    /// - Parameters:
    ///   - start: the time from which identifiers count.
    ///   - capacity: how many requests are kept; 0: none is recorded.
    init(on loop: EventLoop, since start: MonotonicTime, capacity: Int) {
        self.loop = loop
        self.start = start
        loopNumber = UInt64(truncatingIfNeeded: loop.handle.index & 0xFF)
        slots = Self.emptySlots(capacity)
    }

    private static func emptySlots(_ capacity: Int) -> [RequestSlot] {
        Array(repeating: RequestSlot(), count: capacity == 0 ? 0 : capacity + 1)
    }

    /// How many requests are kept; a change keeps the latest ones.
    public var capacity: Int {
        get { max(0, slots.count - 1) }
        set {
            guard newValue != capacity else { return }
            let known = recorded(after: 0)
            let cut = max(0, known.count - newValue)
            lastCut = cut > 0 ? known[cut - 1].request.id : lastDropped
            let kept = known.dropFirst(cut)
            slots = Self.emptySlots(newValue)
            slots.replaceSubrange(..<kept.count, with: kept)
            next = kept.count
        }
    }

    /// The ring itself, unless it is off.
    var ifOn: RequestRing? { slots.isEmpty ? nil : self }

    // MARK: Recording

    /// Records a hit that was answered without an exchange.
    ///
    /// - Parameters:
    ///   - receivedAt: the time of the loop's turn.
    ///   - notes: what few hits have.
    @inline(__always)
    func recordHit(
        _ stored: StoredResponse,
        status: UInt16,
        contentBytes: Int,
        form: RouteKind.Form,
        client: IPAddress?,
        since receivedAt: MonotonicTime,
        notes: RequestNotes?
    ) {
        let index = next
        guard index < slots.count else { return }
        next = index &+ 1 == slots.count ? 0 : index &+ 1
        let now = MonotonicTime.now
        let hit = RecordedRequest.Hit(
            id: takeID(at: now),
            receivedAt: receivedAt.nanoseconds,
            duration: now.nanoseconds &- receivedAt.nanoseconds,
            contentBytes: Int64(contentBytes),
            client: client,
            status: status,
            form: form
        )
        slots[index].fill(hit, stored, notes)
    }

    /// Records an exchange that has ended, and keeps its notes.
    func record(_ exchange: ServerExchange, _ notes: RequestNotes) {
        let index = next
        guard index < slots.count else { return }
        next = index &+ 1 == slots.count ? 0 : index &+ 1
        let now = MonotonicTime.now
        slots[index].fill(exchange, notes, id: takeID(at: now), at: now)
    }

    @inline(__always)
    private func takeID(at now: MonotonicTime) -> UInt64 {
        let stamp = stamp(at: now)
        lastID = stamp > lastID ? stamp : lastID &+ 256
        return lastID
    }

    /// The smallest identifier of a request at this time.
    @inline(__always)
    private func stamp(at now: MonotonicTime) -> UInt64 {
        let elapsed = UInt64(bitPattern: now.nanoseconds &- start.nanoseconds)
        return (elapsed >> 10) << 8 | loopNumber
    }

    // MARK: Reading

    /// The last request whose place was taken; 0: none yet.
    private var lastDropped: UInt64 { slots.isEmpty ? lastCut : max(lastCut, slots[next].request.id) }

    /// The places of the requests behind an identifier, in order.
    private func recorded(after id: UInt64) -> [RequestSlot] {
        var found: [RequestSlot] = []
        for offset in 1...max(1, capacity) where offset <= capacity {
            let slot = slots[(next + slots.count - offset) % slots.count]
            guard slot.request.id > id else { break }
            found.append(slot)
        }
        return found.reversed()
    }

    /// Copies the requests behind an identifier.
    func copy(after id: UInt64) -> RequestCopy {
        // The next request of this turn may still get the number of this time.
        let floor = max(lastID, stamp(at: loop.now) &- 1)
        let requests = recorded(after: id).map(\.recorded)
        return RequestCopy(requests: requests, floor: floor, lastDropped: lastDropped, capacity: capacity)
    }
}

/// What was in the ring of one loop at one time.
struct RequestCopy: Sendable {
    /// In order.
    var requests: [RecordedRequest]
    /// Later requests of the loop have larger identifiers.
    var floor: UInt64
    var lastDropped: UInt64
    var capacity: Int
}
