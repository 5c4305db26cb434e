import Exchanges
import HTTPCore

/// What a growing body knows, without locks and callbacks.
struct GrowingBodyState {
    enum End {
        case open
        case complete(trailers: Fields?)
        case failed(ExchangeFailure)
    }

    /// Where bytes stay that readers may still want.
    enum Retention {
        /// All of them in memory.
        case memory
        /// In a file once they are flushed.
        case spill
        /// The last of them in memory: nothing is stored.
        case window
    }

    /// A reader whose next bytes are gone.
    struct LostReader {
        let offset: Int64
        let context: any DeliveryContext
        let wake: @Sendable () -> Void
        let digests: BlockDigests?
    }

    struct Reader {
        let id: UInt64
        var offset: Int64
        var context: ObjectIdentifier
        var wake: @Sendable () -> Void
        var isWaiting = false
    }

    /// The readers of one context that wait, woken by one call.
    struct WaitingGroup {
        let context: any DeliveryContext
        var key: ObjectIdentifier { ObjectIdentifier(context) }
        var readers: [UInt64] = []
        var isSubmitted = false
    }

    let limits: GrowingBody.Limits
    /// Whether readers may begin after bytes have left memory for good, or never, as for a response of one client.
    let isShared: Bool
    var retention = Retention.memory
    var window = BodyWindow()
    var writer: (any BodyWriter)?
    /// Bytes that can be read from the writer's file.
    var flushed: Int64 = 0
    var end = End.open
    /// By ascending number.
    private(set) var readers: [Reader] = []
    /// One for each context: there are few.
    private var groups: [WaitingGroup] = []
    private var nextReader: UInt64 = 0
    /// The furthest any reader has come.
    private var fastest: Int64 = 0
    /// Bytes granted to the origin so far.
    private var granted: Int64
    /// While nobody reads, what comes is let go.
    var flowsUnread = false
    /// Readers too far behind go on elsewhere; else nothing is let go that a reader wants.
    var leavesSlowReaders = false
    /// Of what readers may be sent elsewhere for, digests are made as soon as any of it leaves memory.
    var makesDigests = false
    private var digests: BlockDigests?

    init(limits: GrowingBody.Limits, isShared: Bool, granted: Int64) {
        self.limits = limits
        self.isShared = isShared
        self.granted = granted
    }

    var received: Int64 { window.end }
    var isOpen: Bool { if case .open = end { true } else { false } }
    /// Everything that was received is in the file.
    var isFlushed: Bool { flushed >= received }

    /// Whether a reader that begins now finds all bytes.
    var acceptsReaders: Bool {
        if case .failed = end { return false }
        if window.start == 0 { return true }
        return isShared && flushed >= window.start
    }

    // MARK: Growing

    mutating func append(_ chunk: ByteChunk) {
        guard isOpen else { return }
        window.append(chunk)
        digests?.update(chunk)
        trim()
    }

    /// Lets bytes go that nobody needs in memory.
    mutating func trim() {
        if makesDigests { beginDigests() }
        switch retention {
        case .memory:
            break
        case .spill:
            let limit = Int64(limits.spilledWindow)
            window.drop(upTo: flushed) { $0 > limit }
        case .window:
            if !isShared || window.start > 0 { window.drop(upTo: slowest) { _ in true } }
            let limit = Int64(limits.window)
            window.drop(upTo: leavesSlowReaders || readers.isEmpty ? window.end : slowest) { $0 > limit }
            if makesDigests, !mayFallBehind { (makesDigests, digests) = (false, nil) }
        }
    }

    /// Whether any reader is behind, or may yet be.
    private var mayFallBehind: Bool {
        acceptsReaders || readers.count > 1 || readers.first.map { $0.offset < fastest } ?? false
    }

    /// Begins with digests before the first bytes leave memory.
    private mutating func beginDigests() {
        guard digests == nil, window.start == 0, window.count > Int64(limits.spilledWindow) else { return }
        if case .memory = retention { return }
        var digests = BlockDigests(size: Int64(limits.window) / 4)
        for chunk in window.chunks { digests.update(chunk) }
        self.digests = digests
    }

    /// Lets go of what can be read from the file.
    mutating func releaseMemory() {
        if case .spill = retention { window.drop(upTo: flushed) { _ in true } }
    }

    /// The bytes all readers have taken; an estimate on the safe side when there are many, where that does.
    private var slowest: Int64 {
        guard !readers.isEmpty, readers.count <= 16 || !leavesSlowReaders else { return 0 }
        return readers.reduce(Int64.max) { min($0, $1.offset) }
    }

    /// Bytes the origin may send beyond what it was granted before; 0 if that is little.
    mutating func credit() -> Int {
        guard isOpen else { return 0 }
        let allowed: Int64
        switch retention {
        case .memory: allowed = received + Int64(limits.ahead)
        case .spill: allowed = flushed + Int64(limits.unflushed)
        case .window: allowed = pace + Int64(limits.ahead)
        }
        let due = allowed - granted
        guard due >= Int64(limits.ahead) / 4 else { return 0 }
        granted += due
        return Int(due)
    }

    /// Up to where the readers have come, as far as it matters to the origin.
    private var pace: Int64 {
        if readers.isEmpty { return flowsUnread ? received : fastest }
        return leavesSlowReaders || !isShared ? fastest : slowest
    }

    // MARK: Reading

    mutating func addReader(context: any DeliveryContext, wake: @escaping @Sendable () -> Void) -> UInt64? {
        guard acceptsReaders else { return nil }
        let key = ObjectIdentifier(context)
        nextReader += 1
        readers.append(Reader(id: nextReader, offset: 0, context: key, wake: wake))
        if group(key) == nil { groups.append(WaitingGroup(context: context)) }
        return nextReader
    }

    /// Where a reader stands; nil once it has left.
    private func place(_ id: UInt64) -> Int? {
        var low = 0
        var high = readers.count
        while low < high {
            let middle = (low + high) / 2
            if readers[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < readers.count && readers[low].id == id ? low : nil
    }

    private func group(_ key: ObjectIdentifier) -> Int? { groups.firstIndex { $0.key == key } }

    /// Returns whether the others may have waited for it.
    mutating func removeReader(_ id: UInt64) -> Bool {
        guard let place = place(id) else { return false }
        readers.remove(at: place)
        trim()
        if case .window = retention { return isShared && !leavesSlowReaders }
        return false
    }

    /// A reader whose next bytes are neither in memory nor in a file; nil: they are, or it has left.
    func lostReader(_ id: UInt64) -> LostReader? {
        guard let place = place(id), let group = group(readers[place].context) else { return nil }
        let reader = readers[place]
        guard reader.offset < window.start, reader.offset >= flushed || writer == nil else { return nil }
        return LostReader(
            offset: reader.offset,
            context: groups[group].context,
            wake: reader.wake,
            digests: digests
        )
    }

    /// Nobody reads, nobody can begin to, and nobody waits for the end.
    var isDeserted: Bool {
        guard case .window = retention else { return false }
        return isOpen && readers.isEmpty && !acceptsReaders && !flowsUnread
    }

    mutating func read(_ id: UInt64, maximum: Int) -> BodyPiece {
        guard let place = place(id) else { return .failed(Self.behind) }
        let offset = readers[place].offset
        if offset >= window.start, offset < window.end { return readMemory(place, offset, maximum) }
        if offset < flushed, let writer { return readFile(place, offset, maximum, writer) }
        if offset < window.start { return .failed(Self.behind) }
        switch end {
        case .complete(let trailers): return .end(trailers: trailers)
        case .failed(let failure): return .failed(failure)
        case .open:
            if !readers[place].isWaiting {
                readers[place].isWaiting = true
                if let group = group(readers[place].context) { groups[group].readers.append(id) }
            }
            return .wait
        }
    }

    private mutating func readMemory(_ place: Int, _ offset: Int64, _ maximum: Int) -> BodyPiece {
        let chunks = window.read(from: offset, maximum: maximum)
        advance(place, to: offset + chunks.reduce(0) { $0 + Int64($1.count) })
        return .chunks(chunks)
    }

    private mutating func readFile(
        _ place: Int,
        _ offset: Int64,
        _ maximum: Int,
        _ writer: any BodyWriter
    ) -> BodyPiece {
        let count = Int(min(Int64(max(1, maximum)), flushed - offset))
        advance(place, to: offset + Int64(count))
        return .file(FileRegion(owner: writer, descriptor: writer.descriptor, offset: offset, count: count))
    }

    private mutating func advance(_ place: Int, to offset: Int64) {
        readers[place].offset = offset
        fastest = max(fastest, offset)
        if case .window = retention { trim() }
    }

    /// The groups that must be told; each is told once until `takeWaiting`.
    mutating func wakeGroups() -> [any DeliveryContext] {
        var result: [any DeliveryContext] = []
        for place in groups.indices where !groups[place].readers.isEmpty && !groups[place].isSubmitted {
            groups[place].isSubmitted = true
            result.append(groups[place].context)
        }
        return result
    }

    /// The calls that wake the readers of one context.
    mutating func takeWaiting(_ context: ObjectIdentifier) -> [@Sendable () -> Void] {
        guard let group = group(context) else { return [] }
        let waiting = groups[group].readers
        groups[group].readers = []
        groups[group].isSubmitted = false
        return waiting.compactMap { id in
            guard let place = place(id) else { return nil }
            readers[place].isWaiting = false
            return readers[place].wake
        }
    }

    private static let behind = ExchangeFailure(
        .internalError,
        "the reader fell behind a response that is too large to be kept",
        responseHadBegun: true
    )
}
