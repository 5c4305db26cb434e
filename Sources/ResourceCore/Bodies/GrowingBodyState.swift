import HTTPCore

/// What a growing body knows, without locks and callbacks.
struct GrowingBodyState {
    enum End {
        case open
        case complete(trailers: Fields?)
        case failed(ExchangeFailure)
    }

    /// Where octets stay that readers may still want.
    enum Retention {
        /// All of them in memory.
        case memory
        /// In a file once they are flushed.
        case spill
        /// The last of them in memory: nothing is stored, readers too far behind are cut.
        case window
    }

    struct Reader {
        var offset: Int64
        var context: ObjectIdentifier
        var wake: @Sendable () -> Void
        var isWaiting = false
    }

    /// The readers of one context that wait, woken by one call.
    struct WaitingGroup {
        var context: any DeliveryContext
        var readers: [UInt64] = []
        var isSubmitted = false
    }

    let limits: GrowingBody.Limits
    /// Whether readers may begin after octets have left memory for good, or never, as for a response of one client.
    let isShared: Bool
    var retention = Retention.memory
    var window = BodyWindow()
    var writer: (any BodyWriter)?
    /// Octets that can be read from the writer's file.
    var flushed: Int64 = 0
    var end = End.open
    var readers: [UInt64: Reader] = [:]
    var groups: [ObjectIdentifier: WaitingGroup] = [:]
    private var nextReader: UInt64 = 0
    /// The furthest any reader has come.
    private var fastest: Int64 = 0
    /// Octets granted to the origin so far.
    private var granted: Int64
    /// While nobody reads, what comes is let go.
    var flowsUnread = false

    init(limits: GrowingBody.Limits, isShared: Bool, granted: Int64) {
        self.limits = limits
        self.isShared = isShared
        self.granted = granted
    }

    var received: Int64 { window.end }
    var isOpen: Bool { if case .open = end { true } else { false } }
    /// Everything that was received is in the file.
    var isFlushed: Bool { flushed >= received }

    /// Whether a reader that begins now finds all octets.
    var acceptsReaders: Bool {
        if case .failed = end { return false }
        if window.start == 0 { return true }
        return isShared && flushed >= window.start
    }

    // MARK: Growing

    mutating func append(_ chunk: ByteChunk) {
        guard isOpen else { return }
        window.append(chunk)
        trim()
    }

    /// Lets octets go that nobody needs in memory.
    mutating func trim() {
        switch retention {
        case .memory:
            break
        case .spill:
            let limit = Int64(limits.spilledWindow)
            window.drop(upTo: flushed) { $0 > limit }
        case .window:
            if !isShared || window.start > 0 { window.drop(upTo: slowest) { _ in true } }
            let limit = Int64(limits.window)
            window.drop(upTo: window.end) { $0 > limit }
        }
    }

    /// Lets go of what can be read from the file.
    mutating func releaseMemory() {
        if case .spill = retention { window.drop(upTo: flushed) { _ in true } }
    }

    /// The octets all readers have taken; an estimate on the safe side when there are many.
    private var slowest: Int64 {
        guard !readers.isEmpty, readers.count <= 16 else { return 0 }
        return readers.values.reduce(Int64.max) { min($0, $1.offset) }
    }

    /// Octets the origin may send beyond what it was granted before; 0 if that is little.
    mutating func credit() -> Int {
        guard isOpen else { return 0 }
        let allowed: Int64
        switch retention {
        case .memory: allowed = received + Int64(limits.ahead)
        case .spill: allowed = flushed + Int64(limits.unflushed)
        case .window: allowed = (flowsUnread && readers.isEmpty ? received : fastest) + Int64(limits.ahead)
        }
        let due = allowed - granted
        guard due >= Int64(limits.ahead) / 4 else { return 0 }
        granted += due
        return Int(due)
    }

    // MARK: Reading

    mutating func addReader(context: any DeliveryContext, wake: @escaping @Sendable () -> Void) -> UInt64? {
        guard acceptsReaders else { return nil }
        let key = ObjectIdentifier(context)
        nextReader += 1
        readers[nextReader] = Reader(offset: 0, context: key, wake: wake)
        if groups[key] == nil { groups[key] = WaitingGroup(context: context) }
        return nextReader
    }

    mutating func removeReader(_ id: UInt64) {
        guard readers.removeValue(forKey: id) != nil else { return }
        trim()
    }

    mutating func read(_ id: UInt64, maximum: Int) -> BodyPiece {
        guard let reader = readers[id] else { return .failed(Self.behind) }
        let offset = reader.offset
        if offset >= window.start, offset < window.end { return readMemory(id, offset, maximum) }
        if offset < flushed, let writer { return readFile(id, offset, maximum, writer) }
        if offset < window.start { return .failed(Self.behind) }
        switch end {
        case .complete(let trailers): return .end(trailers: trailers)
        case .failed(let failure): return .failed(failure)
        case .open:
            if !reader.isWaiting {
                readers[id]?.isWaiting = true
                groups[reader.context]?.readers.append(id)
            }
            return .wait
        }
    }

    private mutating func readMemory(_ id: UInt64, _ offset: Int64, _ maximum: Int) -> BodyPiece {
        let chunks = window.read(from: offset, maximum: maximum)
        advance(id, to: offset + chunks.reduce(0) { $0 + Int64($1.count) })
        return .chunks(chunks)
    }

    private mutating func readFile(
        _ id: UInt64,
        _ offset: Int64,
        _ maximum: Int,
        _ writer: any BodyWriter
    ) -> BodyPiece {
        let count = Int(min(Int64(max(1, maximum)), flushed - offset))
        advance(id, to: offset + Int64(count))
        return .file(FileRegion(owner: writer, descriptor: writer.descriptor, offset: offset, count: count))
    }

    private mutating func advance(_ id: UInt64, to offset: Int64) {
        readers[id]?.offset = offset
        fastest = max(fastest, offset)
        if case .window = retention { trim() }
    }

    /// The groups that must be told; each is told once until `takeWaiting`.
    mutating func wakeGroups() -> [any DeliveryContext] {
        var result: [any DeliveryContext] = []
        for key in groups.keys {
            guard let group = groups[key], !group.readers.isEmpty, !group.isSubmitted else { continue }
            groups[key]?.isSubmitted = true
            result.append(group.context)
        }
        return result
    }

    /// The calls that wake the readers of one context.
    mutating func takeWaiting(_ context: ObjectIdentifier) -> [@Sendable () -> Void] {
        guard let waiting = groups[context]?.readers else { return [] }
        groups[context]?.readers = []
        groups[context]?.isSubmitted = false
        return waiting.compactMap { id in
            readers[id]?.isWaiting = false
            return readers[id]?.wake
        }
    }

    private static let behind = ExchangeFailure(
        .internalError,
        "the reader fell behind a response that is too large to be kept",
        responseHadBegun: true
    )
}
