import Exchanges
import HTTPCore

/// The state of a growing body, without locks and callbacks.
struct GrowingBodyState {
    enum End {
        case open
        case complete(trailers: Fields?)
        case failed(ExchangeFailure)
    }

    /// Where bytes stay that readers may still need.
    enum Retention {
        /// All bytes, in memory.
        case memory
        /// In a file, as soon as they are flushed.
        case spill
        /// The last bytes, in memory. Nothing is stored.
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

    /// The readers of one context that wait.
    ///
    /// One call wakes them all.
    struct WaitingGroup {
        let context: any DeliveryContext
        var key: ObjectIdentifier { ObjectIdentifier(context) }
        var readers: [UInt64] = []
        var isSubmitted = false
    }

    let limits: GrowingBody.Limits
    /// Whether several readers may share the body.
    ///
    /// False for the response of one client, which accepts no reader once bytes have left memory.
    let isShared: Bool
    var retention = Retention.memory
    var window = BodyWindow()
    var writer: (any BodyWriter)?
    /// Bytes that can be read from the writer's file.
    var flushed: Int64 = 0
    var end = End.open
    /// In ascending order of their ids.
    private(set) var readers: [Reader] = []
    /// One for each context; there are only a few.
    private var groups: [WaitingGroup] = []
    private var nextReader: UInt64 = 0
    /// The greatest offset that any reader has reached.
    private var fastest: Int64 = 0
    /// The number of bytes granted to the origin so far.
    private var granted: Int64
    /// Whether content is accepted and dropped while there is no reader.
    var flowsUnread = false
    /// Whether readers that are too far behind continue elsewhere.
    ///
    /// If not, all bytes stay that a reader still needs.
    var leavesSlowReaders = false
    /// Whether to make digests of the content as soon as any of it leaves memory.
    ///
    /// They let readers continue elsewhere.
    var makesDigests = false
    private var digests: BlockDigests?

    init(limits: GrowingBody.Limits, isShared: Bool, granted: Int64) {
        self.limits = limits
        self.isShared = isShared
        self.granted = granted
    }

    var received: Int64 { window.end }
    var isOpen: Bool { if case .open = end { true } else { false } }
    /// Whether the file contains all that was received.
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

    /// Drops the bytes in memory that are not needed.
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

    /// Whether any reader is behind, or may fall behind later.
    private var mayFallBehind: Bool {
        acceptsReaders || readers.count > 1 || readers.first.map { $0.offset < fastest } ?? false
    }

    /// Starts the digests before the first bytes leave memory.
    private mutating func beginDigests() {
        guard digests == nil, window.start == 0, window.count > Int64(limits.spilledWindow) else { return }
        if case .memory = retention { return }
        var digests = BlockDigests(size: Int64(limits.window) / 4)
        for chunk in window.chunks { digests.update(chunk) }
        self.digests = digests
    }

    /// Drops the bytes that can be read from the file.
    mutating func releaseMemory() {
        if case .spill = retention { window.drop(upTo: flushed) { _ in true } }
    }

    /// The offset that all readers have reached.
    ///
    /// With many readers it may be estimated as 0 where that is safe.
    private var slowest: Int64 {
        guard !readers.isEmpty, readers.count <= 16 || !leavesSlowReaders else { return 0 }
        return readers.reduce(Int64.max) { min($0, $1.offset) }
    }

    /// The number of further bytes to grant to the origin; 0 if it is small.
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

    /// The reader offset that limits the origin.
    private var pace: Int64 {
        if readers.isEmpty { return flowsUnread ? received : fastest }
        return leavesSlowReaders || !isShared ? fastest : slowest
    }

    // MARK: Reading

    mutating func addReader(
        from offset: Int64,
        context: any DeliveryContext,
        wake: @escaping @Sendable () -> Void
    ) -> UInt64? {
        guard acceptsReaders else { return nil }
        let key = ObjectIdentifier(context)
        nextReader += 1
        readers.append(Reader(id: nextReader, offset: offset, context: key, wake: wake))
        if group(key) == nil { groups.append(WaitingGroup(context: context)) }
        return nextReader
    }

    /// The index of a reader; nil once it has left.
    private func index(of id: UInt64) -> Int? {
        var low = 0
        var high = readers.count
        while low < high {
            let middle = (low + high) / 2
            if readers[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < readers.count && readers[low].id == id ? low : nil
    }

    private func group(_ key: ObjectIdentifier) -> Int? { groups.firstIndex { $0.key == key } }

    /// Returns whether the other readers may have waited for this one.
    mutating func removeReader(_ id: UInt64) -> Bool {
        guard let index = index(of: id) else { return false }
        readers.remove(at: index)
        trim()
        if case .window = retention { return isShared && !leavesSlowReaders }
        return false
    }

    /// Returns the reader if its next bytes are neither in memory nor in a file; nil if they are, or if it has left.
    func lostReader(_ id: UInt64) -> LostReader? {
        guard let index = index(of: id), let group = group(readers[index].context) else { return nil }
        let reader = readers[index]
        guard reader.offset < window.start, reader.offset >= flushed || writer == nil else { return nil }
        return LostReader(
            offset: reader.offset,
            context: groups[group].context,
            wake: reader.wake,
            digests: digests
        )
    }

    /// Whether the body has no reader, accepts none, and no caller waits for its end.
    var isDeserted: Bool {
        guard case .window = retention else { return false }
        return isOpen && readers.isEmpty && !acceptsReaders && !flowsUnread
    }

    mutating func read(_ id: UInt64, maximum: Int) -> BodyPiece {
        guard let index = index(of: id) else { return .failed(Self.behind) }
        let offset = readers[index].offset
        if offset >= window.start, offset < window.end { return readMemory(index, offset, maximum) }
        if offset < flushed, let writer { return readFile(index, offset, maximum, writer) }
        if offset < window.start { return .failed(Self.behind) }
        switch end {
        case .complete(let trailers): return .end(trailers: trailers)
        case .failed(let failure): return .failed(failure)
        case .open:
            if !readers[index].isWaiting {
                readers[index].isWaiting = true
                if let group = group(readers[index].context) { groups[group].readers.append(id) }
            }
            return .wait
        }
    }

    private mutating func readMemory(_ index: Int, _ offset: Int64, _ maximum: Int) -> BodyPiece {
        let chunks = window.read(from: offset, maximum: maximum)
        advance(index, to: offset + chunks.reduce(0) { $0 + Int64($1.count) })
        return .chunks(chunks)
    }

    private mutating func readFile(
        _ index: Int,
        _ offset: Int64,
        _ maximum: Int,
        _ writer: any BodyWriter
    ) -> BodyPiece {
        let count = Int(min(Int64(max(1, maximum)), flushed - offset))
        advance(index, to: offset + Int64(count))
        return .file(FileRegion(owner: writer, descriptor: writer.descriptor, offset: offset, count: count))
    }

    private mutating func advance(_ index: Int, to offset: Int64) {
        readers[index].offset = offset
        fastest = max(fastest, offset)
        if case .window = retention { trim() }
    }

    /// Returns the contexts to wake, each once until `takeWaiting`.
    mutating func wakeGroups() -> [any DeliveryContext] {
        var result: [any DeliveryContext] = []
        for index in groups.indices where !groups[index].readers.isEmpty && !groups[index].isSubmitted {
            groups[index].isSubmitted = true
            result.append(groups[index].context)
        }
        return result
    }

    /// Returns the calls that wake the readers of one context.
    mutating func takeWaiting(_ context: ObjectIdentifier) -> [@Sendable () -> Void] {
        guard let group = group(context) else { return [] }
        let waiting = groups[group].readers
        groups[group].readers = []
        groups[group].isSubmitted = false
        return waiting.compactMap { id in
            guard let index = index(of: id) else { return nil }
            readers[index].isWaiting = false
            return readers[index].wake
        }
    }

    private static let behind = ExchangeFailure(
        .internalError,
        "the reader fell behind a response that is too large to be kept"
    )
}
