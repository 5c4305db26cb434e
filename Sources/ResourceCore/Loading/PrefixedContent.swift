import Exchanges
import HTTPCore
import Locking
import Transforms

/// Puts a stored first part into a body, before the rest from the origin (RFC 9111 §3.4).
///
/// Content in memory goes there at once. Worker threads verify and read a file, as fast as the body accepts it.
/// Meanwhile the rest waits: no more than the origin may send unasked. If the rest has another length than announced,
/// the body fails and nothing is stored.
final class PrefixedContent: BodySink {
    private struct Progress {
        /// Bytes of the first part in the body.
        var offset: Int64 = 0
        /// Bytes of the first part that were verified.
        var checked: Int64 = 0
        /// Bytes that the body may receive in all.
        var allowed: Int64
        /// Bytes of the rest that the origin may send in all.
        var granted: Int64
        /// Bytes of the rest still to come.
        var rest: Int64
        /// Chunks of the rest that wait for the first part.
        var pending: [ByteChunk] = []
        var end: Fields??
        /// A job is queued or running.
        var isFeeding = false
        /// The first part is in the body, and the chunks that came meanwhile.
        var isFed = false
        var isOver = false
    }

    private enum Step {
        case check(Range<Int64>)
        case read(Range<Int64>)
        case append(ByteChunk)
        case finish(trailers: Fields?)
        case pause
    }

    /// Bytes of a file that are verified at a time, and those that are read.
    private static let block: Int64 = 1 << 20
    private static let piece: Int64 = 64 * 1024

    let prefix: StoredResponse
    private let body: GrowingBody
    private weak let load: Load?
    private let environment: CoreEnvironment
    /// The length of the rest.
    private let restLength: Int64
    private let progress: Lock<Progress>
    /// The file with the first part; nil if that is in memory.
    private let file: (any BodyFile)?

    /// - Parameter rest: the number of bytes still to come from the origin.
    init(
        _ prefix: StoredResponse,
        rest: Int64,
        into body: GrowingBody,
        _ load: Load,
        _ context: ResourceContext
    ) {
        self.prefix = prefix
        self.body = body
        self.load = load
        environment = context.environment
        restLength = rest
        let credit = Int64(context.configuration.initialCredit)
        var progress = Progress(allowed: credit, granted: credit, rest: rest)
        switch prefix.body {
        case .bytes(let bytes):
            file = nil
            if !bytes.isEmpty { body.append(ByteChunk(bytes)) }
            progress.isFed = true
        case .file(let file):
            self.file = file
        }
        self.progress = Lock(progress)
    }

    /// Whether this content grants credit to the origin: the first part uses some of it.
    var dealsOutCredit: Bool { file != nil }

    func start() { grant(0) }

    /// The body accepts `bytes` more.
    func grant(_ bytes: Int) {
        let (credit, feeds) = progress.withLock { progress in
            progress.allowed += Int64(bytes)
            let due = max(0, progress.allowed - prefix.contentLength - progress.granted)
            progress.granted += due
            let feeds = !progress.isFed && !progress.isFeeding && !progress.isOver
            if feeds { progress.isFeeding = true }
            return (due, feeds)
        }
        if credit > 0 { load?.grantOrigin(Int(credit)) }
        if feeds { schedule() }
    }

    // MARK: The rest

    var received: Int64 { restLength - progress.withLock { $0.rest } }

    func append(_ chunk: ByteChunk) {
        let (isRight, passes) = progress.withLock { progress in
            guard progress.rest >= Int64(chunk.count) else { return (false, false) }
            progress.rest -= Int64(chunk.count)
            if !progress.isFed { progress.pending.append(chunk) }
            return (true, progress.isFed)
        }
        if !isRight { return giveUp(Self.otherLength) }
        if passes { body.append(chunk) }
    }

    func finish(trailers: Fields?) {
        let (isRight, passes) = progress.withLock { progress in
            guard progress.rest == 0 else { return (false, false) }
            progress.end = .some(trailers)
            return (true, progress.isFed)
        }
        if !isRight { return giveUp(Self.otherLength) }
        if passes { body.finish(trailers: trailers) }
    }

    func fail(_ failure: ExchangeFailure) {
        progress.withLock { progress in
            progress.isOver = true
            progress.pending = []
        }
        body.fail(failure)
    }

    private func giveUp(_ failure: ExchangeFailure) {
        fail(failure)
        load?.giveUp(failure)
    }

    private static let otherLength = ExchangeFailure(
        .protocolError,
        "the rest of the content is not as long as its Content-Range says"
    )

    // MARK: The first part, on worker threads

    private func schedule() {
        if environment.transforms.workers?.submit({ self.feed() }) ?? false { return }
        // All workers are busy.
        environment.timekeeper.after(.milliseconds(10)) { self.schedule() }
    }

    private func feed() {
        guard let file else { return }
        while true {
            switch progress.withLock({ self.next(&$0) }) {
            case .pause:
                return
            case .check(let range):
                return file.verify(range) { self.didCheck(range, $0) }
            case .read(let range):
                guard let bytes = file.read(Int(range.count), at: range.lowerBound), bytes.count == range.count
                else { return damaged() }
                body.append(ByteChunk(bytes))
            case .append(let chunk):
                body.append(chunk)
            case .finish(let trailers):
                return body.finish(trailers: trailers)
            }
        }
    }

    /// The next step; the one before is done.
    private func next(_ progress: inout Progress) -> Step {
        if progress.isOver { return pause(&progress) }
        if progress.offset < prefix.contentLength {
            guard progress.offset < progress.allowed else { return pause(&progress) }
            if progress.offset == progress.checked {
                let end = (progress.offset / Self.block + 1) * Self.block
                return .check(progress.offset..<min(end, prefix.contentLength))
            }
            let range = progress.offset..<min(progress.offset + Self.piece, progress.checked)
            progress.offset = range.upperBound
            return .read(range)
        }
        if !progress.pending.isEmpty { return .append(progress.pending.removeFirst()) }
        progress.isFed = true
        if let end = progress.end { return .finish(trailers: end) }
        return pause(&progress)
    }

    private func pause(_ progress: inout Progress) -> Step {
        progress.isFeeding = false
        return .pause
    }

    private func didCheck(_ range: Range<Int64>, _ isRight: Bool) {
        guard isRight else { return damaged() }
        progress.withLock { $0.checked = range.upperBound }
        schedule()
    }

    private func damaged() {
        load?.didFindDamaged(prefix)
        giveUp(ExchangeFailure(.internalError, "what is stored cannot be read"))
    }
}
