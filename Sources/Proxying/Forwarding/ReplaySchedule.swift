import HTTPCore
import Transforms

/// When the pieces of a stored stream are sent: as they came, or so many times as fast.
struct ReplaySchedule {
    private let begin: MonotonicTime
    private let speed: Double
    private var pieces: StreamPieces.Reader
    private var next: StreamPieces.Piece?
    /// The end of the last piece that was due.
    private var end: Int64 = 0

    /// - Parameter begin: when the head is sent.
    init(_ pieces: StreamPieces, speed: Double, begin: MonotonicTime) {
        self.begin = begin
        self.speed = speed
        self.pieces = pieces.reader
        next = self.pieces.next()
    }

    /// The end of the content that may be sent at `now`.
    mutating func due(at now: MonotonicTime) -> Int64 {
        while let piece = next, time(of: piece) <= now {
            end += piece.count
            next = pieces.next()
        }
        return next == nil ? .max : end
    }

    /// How long the next piece has to wait; nil if there is none.
    func pause(at now: MonotonicTime) -> Duration? { next.map { max(.zero, time(of: $0) - now) } }

    private func time(of piece: StreamPieces.Piece) -> MonotonicTime {
        let nanoseconds = Double(piece.milliseconds) * 1_000_000 / speed
        return begin + .nanoseconds(Int64(min(nanoseconds, 9e18)))
    }
}
