import Exchanges
import HTTPCore
import Locking

/// Reads the source of a run.
///
/// `@unchecked Sendable` holds since only one job at a time uses it.
final class PipelineInput: @unchecked Sendable {
    enum Piece {
        case bytes(ByteChunk)
        /// No bytes yet; `wake` is called when there are some.
        case wait
        case end
        case failed(ExchangeFailure)
    }

    /// The number of bytes to read at once.
    static let step = 64 * 1024

    private let source: PipelineSource
    private let context = WorkerContext()
    private let wake: @Sendable () -> Void
    private let reader: BodyReader?
    private var offset: Int64 = 0
    /// For a file: the end of the range that was verified.
    private let checked = CheckedExtent()
    /// Pieces that were read but not yet returned.
    private var pending: ArraySlice<ByteChunk> = []

    /// - Parameter wake: called on any thread; it must only schedule work.
    init(_ source: PipelineSource, wake: @escaping @Sendable () -> Void) {
        self.source = source
        self.wake = wake
        switch source {
        case .growing(let body):
            reader = body.addReader(context: context, wake: wake)
        case .stored(.bytes(let bytes)):
            reader = nil
            pending = bytes.isEmpty ? [] : [ByteChunk(bytes)]
        case .stored(.file):
            reader = nil
        }
    }

    func next() -> Piece {
        if let piece = takePending() { return .bytes(piece) }
        switch source {
        case .stored(.bytes): return .end
        case .stored(.file(let file)): return readStored(file)
        case .growing(let body): return readGrowing(body)
        }
    }

    /// Puts chunks back, to be returned before all others.
    func unread(_ chunks: [ByteChunk]) { pending = (chunks + pending)[...] }

    private func takePending() -> ByteChunk? {
        guard let first = pending.first else { return nil }
        let piece = first.prefix(Self.step)
        if piece.count < first.count {
            pending[pending.startIndex] = first.dropFirst(piece.count)
        } else {
            pending.removeFirst()
        }
        return piece
    }

    private func readGrowing(_ body: GrowingBody) -> Piece {
        guard let reader else { return .failed(body.failure ?? Self.gone) }
        switch reader.read(maximum: Self.step) {
        case .chunks(let chunks):
            pending = Self.joined(chunks)[...]
            return takePending().map { .bytes($0) } ?? .wait
        case .file(let region):
            return read(region.owner, region.offset, region.count)
        case .wait: return .wait
        case .end: return .end
        case .failed(let failure): return .failed(failure)
        }
    }

    /// Joins many small chunks, so that a transformer is not called for each.
    private static func joined(_ chunks: [ByteChunk]) -> [ByteChunk] {
        guard chunks.count > 4 else { return chunks }
        var bytes: [UInt8] = []
        for chunk in chunks { chunk.withBytes { bytes.append(copying: $0) } }
        return [ByteChunk(bytes)]
    }

    private func readStored(_ file: any BodyFile) -> Piece {
        guard offset < file.count else { return .end }
        let end = min(file.count, offset + Int64(Self.step))
        if let known = checked.end, known < end {
            // The result is often known inside the call. One wake-up too many does no harm.
            file.verify(offset..<end) { [checked, wake] isRight in
                checked.set(isRight ? end : nil)
                wake()
            }
        }
        guard let known = checked.end else { return .failed(Self.damaged) }
        guard known >= end else { return .wait }
        defer { offset = end }
        return read(file, offset, Int(end - offset))
    }

    private func read(_ content: any FileContent, _ offset: Int64, _ count: Int) -> Piece {
        guard let bytes = content.read(count, at: offset), bytes.count == count else { return .failed(Self.damaged) }
        return .bytes(ByteChunk(bytes))
    }

    private static let damaged = ExchangeFailure(.internalError, "the stored content cannot be read")
    private static let gone = ExchangeFailure(.internalError, "the beginning of the response is gone already")
}

/// The end of the range of a file that is known to be undamaged; nil if a part is damaged.
private final class CheckedExtent: Sendable {
    private let value = Lock<Int64?>(0)

    var end: Int64? { value.withLock { $0 } }
    func set(_ end: Int64?) { value.withLock { $0 = end } }
}

/// The context of a run's reader.
///
/// A wake-up only schedules a job, so it may run on any thread.
private final class WorkerContext: DeliveryContext {
    var isCurrent: Bool { true }
    func submit(_ work: @escaping @Sendable () -> Void) { work() }
}
