package import Exchanges
import HTTPCore
import Locking

/// Notes the pieces of content as they come.
package final class PieceRecorder: Sendable {
    private let timekeeper: any Timekeeper
    private let begin: MonotonicTime
    private let list = Lock(PieceList())

    /// Times count from now.
    package init(_ timekeeper: any Timekeeper) {
        self.timekeeper = timekeeper
        begin = timekeeper.now
    }

    func note(_ count: Int) {
        let milliseconds = timekeeper.now.nanoseconds(since: begin) / 1_000_000
        list.withLock { $0.append(StreamPieces.Piece(count: Int64(count), milliseconds: milliseconds)) }
    }

    /// What was noted so far.
    package var pieces: StreamPieces { StreamPieces(list.withLock { $0.pieces }) }
}

/// A list of pieces that does not grow without bound.
struct PieceList {
    /// A list as long as this is halved: each two neighbours become one piece, at the time of the later.
    static let limit = 65_536

    private(set) var pieces: [StreamPieces.Piece] = []

    mutating func append(_ piece: StreamPieces.Piece) {
        if pieces.count >= Self.limit { halve() }
        pieces.append(piece)
    }

    /// The number of pieces is the limit, and even.
    private mutating func halve() {
        pieces = stride(from: 0, to: pieces.count, by: 2)
            .map { index in
                var joined = pieces[index + 1]
                joined.count += pieces[index].count
                return joined
            }
    }
}
