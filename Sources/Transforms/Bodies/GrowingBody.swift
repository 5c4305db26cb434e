public import Exchanges
package import HTTPCore
import Locking

/// The content of a response while it arrives: one writer and many readers, each at its own pace from byte 0.
///
/// Large content that is stored moves to a file of the store. Content that cannot be stored keeps a window in memory,
/// and the fastest reader sets the pace at which the origin is read. A reader that falls out of the window continues
/// with a load of its own. If no such load is possible, the slowest reader sets the pace instead.
///
/// Safe from any thread; only the load may append.
public final class GrowingBody: Sendable {
    /// Sizes in bytes.
    public struct Limits: Sendable {
        /// How far the origin may be ahead of the fastest reader if nothing is stored.
        public var ahead = 256 * 1024
        /// How much may wait to be flushed.
        public var unflushed = 512 * 1024
        /// How much stays in memory of a body that is also in a file.
        public var spilledWindow = 256 * 1024
        /// How much stays in memory of a body that is not stored.
        public var window = 1024 * 1024
        /// Stored content up to this size is kept in memory; larger content goes to a file.
        public var inMemory = 64 * 1024
        /// Content up to this size is kept in memory if the store has no file for it.
        public var maximumMemoryObject: Int64 = 1024 * 1024

        public init() {}
    }

    private let state: Lock<GrowingBodyState>
    private let limits: Limits
    /// The length that the response head announced.
    public let expected: Int64?
    /// Asks the store for a file; nil if the response is not to be stored.
    private let makeWriter: (@Sendable (_ expected: Int64?) -> (any BodyWriter)?)?
    private let grant: @Sendable (Int) -> Void
    private let lostStore: @Sendable () -> Void
    private let continuation: BodyContinuation?
    /// Notes the pieces of a stream that is recorded.
    private let recorder: PieceRecorder?
    private let finalized = Lock<Finalizing>(Finalizing())

    private struct Finalizing {
        var isBegun = false
        var completion: (@Sendable (RecordBody?) -> Void)?
    }

    /// - Parameters:
    ///   - isShared: whether readers may join while the body grows; false for the response of one client.
    ///   - granted: the number of bytes that the request already allowed the origin to send.
    ///   - makeWriter: asks the store for a file; nil if the response is not to be stored.
    ///   - grant: allows the origin to send more; called under no lock.
    ///   - lostStore: called when the store refuses the rest of the content; may be called again.
    ///   - continuation: how a reader that falls behind continues. Nil if none may fall behind.
    ///   - recorder: notes the pieces of the content. Nil if they do not matter.
    package init(
        limits: Limits,
        expected: Int64?,
        isShared: Bool,
        granted: Int,
        makeWriter: (@Sendable (_ expected: Int64?) -> (any BodyWriter)?)?,
        grant: @escaping @Sendable (Int) -> Void,
        lostStore: @escaping @Sendable () -> Void,
        continuation: BodyContinuation? = nil,
        recorder: PieceRecorder? = nil
    ) {
        self.limits = limits
        self.expected = expected
        self.makeWriter = makeWriter
        self.grant = grant
        self.lostStore = lostStore
        self.continuation = continuation
        self.recorder = recorder
        var initial = GrowingBodyState(limits: limits, isShared: isShared, granted: Int64(granted))
        if isShared, let continuation {
            initial.leavesSlowReaders = true
            initial.makesDigests = continuation.comparesDigests
        }
        if makeWriter == nil { initial.retention = .window }
        state = Lock(initial)
    }

    /// Makes a complete body in memory; nil if the content is in a file.
    package convenience init?(complete body: RecordBody) {
        guard case .bytes(let bytes) = body else { return nil }
        self.init(whole: ByteChunk(bytes), true)
    }

    /// Makes a complete body in memory.
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
        // The writer ignores this once a file was made of it.
        state.withLock { $0.writer }?.discard()
    }

    // MARK: Reading

    /// Bytes received so far.
    public var received: Int64 { state.withLock { $0.received } }
    /// Whether a reader that begins now finds all bytes.
    public var acceptsReaders: Bool { state.withLock { $0.acceptsReaders } }
    /// The pieces in which the content came, if they are recorded.
    package var pieces: StreamPieces { recorder?.pieces ?? StreamPieces() }
    /// Whether all content has arrived.
    package var isComplete: Bool { state.withLock { if case .complete = $0.end { true } else { false } } }
    /// Why the rest does not come; nil if it has come, or may yet.
    var failure: ExchangeFailure? { state.withLock { if case .failed(let failure) = $0.end { failure } else { nil } } }
    /// Whether readers may join while the body grows.
    package var isShared: Bool { state.withLock { $0.isShared } }
    /// The length, once all content has arrived.
    package var completeCount: Int64? {
        state.withLock { if case .complete = $0.end { $0.received } else { nil } }
    }
    /// Whether the body can be stored when it is complete.
    package var isStorable: Bool { state.withLock { if case .window = $0.retention { false } else { true } } }

    /// Adds a reader; returns nil once the first bytes are gone.
    ///
    /// - Parameters:
    ///   - offset: the byte to begin with, if it is not the first.
    ///   - context: the context on which the reader runs.
    ///   - wake: called on `context` once after each `.wait`. It may be called inside `append`, but never inside
    ///     `read`.
    public func addReader(
        from offset: Int64 = 0,
        context: any DeliveryContext,
        wake: @escaping @Sendable () -> Void
    ) -> BodyReader? {
        state.withLock { $0.addReader(from: offset, context: context, wake: wake) }.map {
            BodyReader(body: self, id: $0)
        }
    }

    func read(_ id: UInt64, maximum: Int) -> BodyPiece {
        let (piece, credit) = state.withLock { ($0.read(id, maximum: maximum), $0.credit()) }
        if credit > 0 { grant(credit) }
        return piece
    }

    func removeReader(_ id: UInt64) {
        // All others may have waited for this reader.
        let credit = state.withLock { $0.removeReader(id) ? $0.credit() : 0 }
        if credit > 0 { grant(credit) }
    }

    /// Starts a load for a reader whose next bytes are gone here.
    ///
    /// The reader then no longer counts as one of this body.
    ///
    /// Returns nil if no bytes are gone, or if no load can bring them.
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
        recorder?.note(chunk.count)
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

    /// Accepts all content although it has no reader, because a caller waits for its end.
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
    }

    /// Calls `completion` once, when the body is complete and ready to be stored.
    ///
    /// It receives nil if the body cannot be stored.
    ///
    /// It is not called if the body failed. It may be called on any thread.
    package func whenFinalized(_ completion: @escaping @Sendable (RecordBody?) -> Void) {
        finalized.withLock { $0.completion = completion }
        finalizeIfReady()
    }

    /// Returns what has come of a body that failed, once; nil if it was not kept from its first byte on.
    ///
    /// `completion` may run on any thread.
    package func takePart(_ completion: @escaping @Sendable (RecordBody?) -> Void) {
        let (retention, writer, chunks) = state.withLock { state in
            (state.isOpen ? .window : state.retention, state.writer, state.window.chunks)
        }
        let isTaken = finalized.withLock { finalizing in
            defer { finalizing = Finalizing(isBegun: true) }
            return finalizing.isBegun
        }
        if isTaken { return completion(nil) }
        switch retention {
        case .memory: completion(.bytes(Self.coalesced(chunks)))
        case .spill: writer?.finish { file in completion(file.map { .file($0) }) }
        case .window: completion(nil)
        }
    }

    /// Moves content that is too large for memory to a file, or keeps only a window of it.
    private func makeRoom() {
        let size = max(received, expected ?? 0)
        guard size > Int64(limits.inMemory), let makeWriter else { return }
        // A writer that exists here has refused the rest.
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

    /// Grants more to the origin and wakes the readers that wait.
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

    /// Releases the bytes in memory of a complete body that is in a file.
    ///
    /// Readers continue with the file.
    package func releaseMemory() { state.withLock { $0.releaseMemory() } }

    // MARK: Finalizing

    private func finalizeIfReady() {
        let storedAs = state.withLock { $0.storedAs }
        guard storedAs != .notYet, storedAs != .failed else { return }
        let completion = finalized.withLock { finalizing -> (@Sendable (RecordBody?) -> Void)? in
            guard !finalizing.isBegun, let completion = finalizing.completion else { return nil }
            finalizing.isBegun = true
            finalizing.completion = nil
            return completion
        }
        guard let completion else { return }
        switch storedAs {
        case .notYet, .failed: break
        case .nothing: completion(nil)
        case .memory: completion(.bytes(Self.coalesced(state.withLock { $0.window.chunks })))
        case .file: state.withLock { $0.writer }?.finish { file in completion(file.map { .file($0) }) }
        }
    }

    /// Returns one array of exactly the bytes of `chunks`, which keeps no larger buffer alive.
    private static func coalesced(_ chunks: [ByteChunk]) -> [UInt8] {
        if chunks.count == 1 { return chunks[0].compact.bytes }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(chunks.reduce(0) { $0 + $1.count })
        for chunk in chunks { chunk.withBytes { bytes.append(copying: $0) } }
        return bytes
    }
}

extension GrowingBodyState {
    enum StoredAs { case notYet, failed, nothing, memory, file }

    /// How the body can be stored now.
    var storedAs: StoredAs {
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

    /// The store refuses the rest.
    ///
    /// Flushed bytes stay readable; the rest stays in memory.
    mutating func giveUpSpilling() {
        guard case .spill = retention else { return }
        retention = window.start == 0 && received <= limits.maximumMemoryObject ? .memory : .window
    }
}
