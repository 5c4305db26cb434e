import Eventing
import HTTPCore

/// Sends the content of one response at a limited rate.
///
/// Bound to its loop. It keeps what may not be sent yet, and lets the exchange write it in small parts. Time in which
/// nothing waits gives no right to send more later.
final class ResponsePacer {
    enum Piece {
        case bytes(ByteChunk)
        case file(FileRegion)
    }

    /// The time between two parts.
    private static let interval = Duration.milliseconds(50)
    /// Above this nothing more is accepted.
    private static let roomLimit: Int64 = 65_536

    /// It owns the pacer, and stops it at its end.
    private unowned let exchange: ServerExchange
    private let bytesPerSecond: Int64
    private var pieces: [Piece] = []
    /// Bytes of `pieces`.
    private(set) var waiting: Int64 = 0
    /// Set once the content has ended; the trailers may be nil.
    private var end: (trailers: Fields?, isKnown: Bool) = (nil, false)
    /// Since when content waits, and how much of it has been sent.
    private var since: MonotonicTime?
    private var sent: Int64 = 0
    private var timer: LoopTimer?

    init(_ exchange: ServerExchange, bytesPerSecond: Int) {
        self.exchange = exchange
        self.bytesPerSecond = Int64(max(1, bytesPerSecond))
    }

    var hasRoom: Bool { waiting < Self.roomLimit }
    /// Whether all content has been accepted.
    var isEnding: Bool { end.isKnown }

    func send(_ piece: Piece) {
        guard piece.count > 0, !isEnding, exchange.isOpen else { return }
        pieces.append(piece)
        waiting += piece.count
        if since == nil { (since, sent) = (exchange.loop.now, 0) }
        waitForTurn()
    }

    /// Ends the response once everything has been sent; false if nothing waits.
    func finishes(_ trailers: Fields?) -> Bool {
        guard waiting > 0 else { return false }
        end = (trailers, true)
        return true
    }

    func stop() {
        timer.take()?.cancel()
        pieces = []
        waiting = 0
    }

    private func waitForTurn() {
        guard timer == nil, waiting > 0 else { return }
        timer = exchange.loop.schedule(after: Self.interval) { [self] in
            timer = nil
            takeTurn()
        }
    }

    /// Sends what the time since the start allows.
    private func takeTurn() {
        // A cut below would release it.
        let exchange = exchange
        guard let since, exchange.isOpen else { return }
        // A client that reads more slowly than the rate gets no larger parts afterwards.
        guard exchange.connectionHasRoom else {
            (self.since, sent) = (exchange.loop.now, 0)
            return waitForTurn()
        }
        let milliseconds = (exchange.loop.now - since) / .milliseconds(1)
        var allowed = Int64(milliseconds / 1000 * Double(bytesPerSecond)) - sent
        while allowed > 0, let first = pieces.first {
            let part = first.prefix(allowed)
            if part.count == first.count { pieces.removeFirst() } else { pieces[0] = first.dropFirst(part.count) }
            (allowed, sent, waiting) = (allowed - part.count, sent + part.count, waiting - part.count)
            switch part {
            case .bytes(let chunk): exchange.writeNow(chunk)
            case .file(let region): exchange.writeNow(region)
            }
        }
        guard waiting == 0 else {
            waitForTurn()
            if hasRoom, !isEnding { exchange.didDrain() }
            return
        }
        if end.isKnown { return exchange.finishNow(end.trailers) }
        exchange.didDrain()
        // Nothing waits any more: the time counts anew from the next piece on.
        if waiting == 0 { self.since = nil }
    }
}

extension ResponsePacer.Piece {
    var count: Int64 {
        switch self {
        case .bytes(let chunk): Int64(chunk.count)
        case .file(let region): Int64(region.count)
        }
    }

    func prefix(_ count: Int64) -> Self {
        switch self {
        case .bytes(let chunk): .bytes(chunk.prefix(Int(clamping: count)))
        case .file(let region): .file(region.part(0..<min(count, self.count)))
        }
    }

    func dropFirst(_ count: Int64) -> Self {
        switch self {
        case .bytes(let chunk): .bytes(chunk.dropFirst(Int(count)))
        case .file(let region): .file(region.part(count..<self.count))
        }
    }
}

extension FileRegion {
    /// The bytes in `range`, counted from the start of this region.
    fileprivate func part(_ range: Range<Int64>) -> FileRegion {
        FileRegion(
            owner: owner,
            descriptor: descriptor,
            offset: offset + range.lowerBound,
            count: Int(range.upperBound - range.lowerBound)
        )
    }
}
