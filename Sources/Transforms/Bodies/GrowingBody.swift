public import Exchanges
package import HTTPCore
import Locking

/// The content of a response while it arrives: one writer, many readers, each at its own pace from byte 0.
///
/// What is stored and large moves to a file of the store's; what cannot be stored keeps a window in memory. Then the origin
/// is read at the pace of the fastest reader, and one more than the window behind goes on by a load of its own; where there
/// can be none, the slowest reader sets the pace. Safe from any thread; appending is for the load alone.
public final class GrowingBody: Sendable {
    /// Sizes in bytes.
    public struct Limits: Sendable {
        /// What the origin may be ahead of the fastest reader when nothing is stored.
        public var ahead = 256 * 1024
        /// What may wait to be flushed.
        public var unflushed = 512 * 1024
        /// What stays in memory of a body that is in a file too.
        public var spilledWindow = 256 * 1024
        /// What stays in memory of a body that is not stored.
        public var window = 1024 * 1024
        /// Content up to this size is kept in memory when it is stored; larger goes to a file.
        public var inMemory = 64 * 1024
        /// Content up to this size is kept in memory when the store has no file for it.
        public var maximumMemoryObject: Int64 = 1024 * 1024

        public init() {}
    }

    private let state: Lock<GrowingBodyState>
    private let limits: Limits
    /// The length the head announced.
    public let expected: Int64?
    /// Asks for a file; nil if the response is not to be stored.
    private let makeWriter: (@Sendable (_ expected: Int64?) -> (any BodyWriter)?)?
    private let grant: @Sendable (Int) -> Void
    private let lostStore: @Sendable () -> Void
    private let continuation: BodyContinuation?
    private let finalized = Lock<Finalizing>(Finalizing())

    private struct Finalizing {
        var isBegun = false
        var completion: (@Sendable (RecordBody?) -> Void)?
    }

    /// - Parameters:
    ///   - isShared: whether readers may join while it grows; false for the response of one client.
    ///   - makeWriter: asks the store for a file; nil if the response is not to be stored.
    ///   - granted: what the origin was granted with the request.
    ///   - grant: allows the origin to send more; called under no lock.
    ///   - lostStore: the store refused the rest of the content.
    ///   - continuation: how readers go on that fall behind; nil: nobody falls behind.
    package init(
        limits: Limits,
        expected: Int64?,
        isShared: Bool,
        granted: Int,
        makeWriter: (@Sendable (_ expected: Int64?) -> (any BodyWriter)?)?,
        grant: @escaping @Sendable (Int) -> Void,
        lostStore: @escaping @Sendable () -> Void,
        continuation: BodyContinuation? = nil
    ) {
        self.limits = limits
        self.expected = expected
        self.makeWriter = makeWriter
        self.grant = grant
        self.lostStore = lostStore
        self.continuation = continuation
        var initial = GrowingBodyState(limits: limits, isShared: isShared, granted: Int64(granted))
        if isShared, let continuation {
            initial.leavesSlowReaders = true
            initial.makesDigests = continuation.comparesDigests
        }
        if makeWriter == nil { initial.retention = .window }
        state = Lock(initial)
    }

    /// A body that is complete, in memory; nil for content in a file.
    package convenience init?(complete body: RecordBody) {
        guard case .bytes(let bytes) = body else { return nil }
        self.init(whole: ByteChunk(bytes), true)
    }

    /// A body that is complete, in memory.
    package convenience init(whole bytes: ByteChunk, _ isShared: Bool) {
        self.init(
            limits: Limits(),
            expected: Int64(bytes.count),
            isShared: isShared,
            granted: 0,
            makeWriter: { _ in nil },
            grant: { _ in },
            lostStore: {}
        )
        state.withLock { state in
            state.append(bytes)
            state.end = .complete(trailers: nil)
        }
    }

    deinit {
        // Once a file was made of it the writer ignores this.
        state.withLock { $0.writer }?.discard()
    }

    // MARK: Reading

    /// Bytes received so far.
    public var received: Int64 { state.withLock { $0.received } }
    /// Whether a reader that begins now finds all bytes.
    public var acceptsReaders: Bool { state.withLock { $0.acceptsReaders } }
    /// Whether all of it has come.
    package var isComplete: Bool { state.withLock { if case .complete = $0.end { true } else { false } } }
    /// Whether readers may join while it grows.
    package var isShared: Bool { state.withLock { $0.isShared } }
    /// Its length, once all of it has come.
    package var completeCount: Int64? {
        state.withLock { if case .complete = $0.end { $0.received } else { nil } }
    }
    /// Whether it can still be stored when it is complete.
    package var isStorable: Bool { state.withLock { if case .window = $0.retention { false } else { true } } }

    /// A reader that begins with byte 0; nil once the first bytes are gone.
    /// - Parameters:
    ///   - context: where the reader is.
    ///   - wake: called on `context` once after each `.wait`, perhaps inside a call that appends, never inside `read`.
    public func addReader(context: any DeliveryContext, wake: @escaping @Sendable () -> Void) -> BodyReader? {
        state.withLock { $0.addReader(context: context, wake: wake) }.map { BodyReader(body: self, id: $0) }
    }

    func read(_ id: UInt64, maximum: Int) -> BodyPiece {
        let (piece, credit) = state.withLock { ($0.read(id, maximum: maximum), $0.credit()) }
        if credit > 0 { grant(credit) }
        return piece
    }

    func removeReader(_ id: UInt64) {
        // It may have been the one for whom all others waited.
        let credit = state.withLock { $0.removeReader(id) ? $0.credit() : 0 }
        if credit > 0 { grant(credit) }
    }

    /// What brings a reader the bytes that are gone here; nil: none are gone, or nothing brings them.
    ///
    /// It is no reader of this body any more.
    func continueElsewhere(_ id: UInt64) -> BodyReader.Rest? {
        guard let continuation, let lost = state.withLock({ $0.lostReader(id) }),
            let rest = continuation.makeRest(lost.offset, lost.digests),
            let reader = rest.body.addReader(context: lost.context, wake: lost.wake)
        else { return nil }
        removeReader(id)
        if state.withLock({ $0.isDeserted }) { continuation.deserted() }
        return BodyReader.Rest(reader, of: rest)
    }

    // MARK: Growing (by the load, one call at a time)

    package func append(_ chunk: ByteChunk) {
        let (retention, writer) = state.withLock { state in
            state.append(chunk)
            return (state.retention, state.writer)
        }
        switch retention {
        case .memory: makeRoom()
        case .spill: if let writer { write(chunk, to: writer) }
        case .window: break
        }
        progress()
    }

    /// Lets the content come although nobody reads it: somebody waits for its end.
    package func flowUnread() {
        state.withLock { $0.flowsUnread = true }
        progress()
    }

    package func finish(trailers: Fields?) {
        state.withLock { if $0.isOpen { $0.end = .complete(trailers: trailers) } }
        progress()
        finalizeIfReady()
    }

    package func fail(_ failure: ExchangeFailure) {
        state.withLock { if $0.isOpen { $0.end = .failed(failure) } }
        progress()
        finalizeIfReady()
    }

    /// Tells `completion` once, when the body is complete and in the form in which it is stored; nil if it cannot be
    /// stored.
    ///
    /// Not at all if it failed. On any thread.
    package func whenFinalized(_ completion: @escaping @Sendable (RecordBody?) -> Void) {
        finalized.withLock { $0.completion = completion }
        finalizeIfReady()
    }

    /// Moves what has become too large for memory to a file, or keeps only a window of it.
    private func makeRoom() {
        let size = max(received, expected ?? 0)
        guard size > Int64(limits.inMemory), let makeWriter else { return }
        // A writer that is there already has refused the rest.
        let mayWrite = state.withLock { $0.writer == nil }
        if mayWrite, let writer = makeWriter(expected) {
            let chunks = state.withLock { state in
                state.retention = .spill
                state.writer = writer
                return state.window.chunks
            }
            for chunk in chunks { write(chunk, to: writer) }
        } else if size > limits.maximumMemoryObject {
            state.withLock { state in
                state.retention = .window
                state.trim()
            }
            lostStore()
        }
    }

    private func write(_ chunk: ByteChunk, to writer: any BodyWriter) {
        writer.append(chunk) { [weak self] flushed in self?.didFlush(flushed) }
    }

    private func didFlush(_ flushed: Int64?) {
        state.withLock { state in
            if let flushed {
                state.flushed = max(state.flushed, flushed)
            } else {
                state.giveUpSpilling()
            }
            state.trim()
        }
        progress()
        finalizeIfReady()
        if flushed == nil { lostStore() }
    }

    /// Grants what may come and wakes who waits.
    private func progress() {
        let (credit, contexts) = state.withLock { ($0.credit(), $0.wakeGroups()) }
        if credit > 0 { grant(credit) }
        for context in contexts {
            if context.isCurrent {
                wake(ObjectIdentifier(context))
            } else {
                let key = ObjectIdentifier(context)
                context.submit { self.wake(key) }
            }
        }
    }

    private func wake(_ context: ObjectIdentifier) {
        for wake in state.withLock({ $0.takeWaiting(context) }) { wake() }
    }

    /// It is complete, and in a file: readers take it from there.
    package func releaseMemory() { state.withLock { $0.releaseMemory() } }

    // MARK: Finalizing

    private func finalizeIfReady() {
        let rendition = state.withLock { $0.finalizingForm }
        guard rendition != .notYet else { return }
        let completion = finalized.withLock { finalizing -> (@Sendable (RecordBody?) -> Void)? in
            guard !finalizing.isBegun, let completion = finalizing.completion else { return nil }
            finalizing.isBegun = true
            finalizing.completion = nil
            return completion
        }
        guard let completion else { return }
        switch rendition {
        case .notYet, .failed: break
        case .nothing: completion(nil)
        case .memory: completion(.bytes(Self.coalesced(state.withLock { $0.window.chunks })))
        case .file: state.withLock { $0.writer }?.finish { file in completion(file.map { .file($0) }) }
        }
    }

    /// One array that holds exactly `chunks` and keeps no larger buffer alive.
    private static func coalesced(_ chunks: [ByteChunk]) -> [UInt8] {
        if chunks.count == 1 { return chunks[0].compact.bytes }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(chunks.reduce(0) { $0 + $1.count })
        for chunk in chunks { chunk.withBytes { bytes.append(copying: $0) } }
        return bytes
    }
}

extension GrowingBodyState {
    enum FinalizingForm { case notYet, failed, nothing, memory, file }

    /// The form in which the body can be stored now.
    var finalizingForm: FinalizingForm {
        switch end {
        case .open: return .notYet
        case .failed: return .failed
        case .complete: break
        }
        switch retention {
        case .memory: return .memory
        case .spill: return isFlushed ? .file : .notYet
        case .window: return .nothing
        }
    }

    /// The store refused the rest: what is flushed stays readable, the rest goes by memory.
    mutating func giveUpSpilling() {
        guard case .spill = retention else { return }
        retention = window.start == 0 && received <= limits.maximumMemoryObject ? .memory : .window
    }
}
