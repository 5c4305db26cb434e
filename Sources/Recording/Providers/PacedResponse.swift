import Cassettes
import HTTPCore

/// A response that is delivered step by step, as the receiver and the pace allow.
struct PacedResponse {
    /// A piece of the content.
    private struct Piece {
        var bytes: ByteChunk
        /// When it is due, in seconds behind the head.
        var time = 0.0
    }

    enum Step {
        case head(ResponseHead)
        case content(ByteChunk)
        case end(trailers: Fields?)
    }

    /// Bytes that may be delivered.
    var credit = 0
    /// Whether there is a response, or was one.
    private(set) var hasBegun = false
    private var head: ResponseHead?
    /// The content in its pieces, the last one first.
    private var pieces: [Piece] = []
    private var trailers: Fields?
    private var isOver = true

    /// No response yet.
    init() {}

    /// - Parameter speed: how many times faster than recorded the pieces of a stream come; nil: at once.
    init(_ response: CassetteResponse, to method: Method, speed: Double? = nil) {
        hasBegun = true
        isOver = false
        head = ResponseHead(response, to: method)
        if !ResponseHead.hasNoContent(response.status, method) { pieces = Self.pieces(response, speed).reversed() }
        if !response.trailers.isEmpty { trailers = Fields(response.trailers) }
    }

    /// Our 504, which names what the cassette lacks.
    init(_ miss: CassetteMiss, to method: Method) {
        hasBegun = true
        isOver = false
        let problem = ProblemDocument(miss)
        let content = problem.json
        head = ResponseHead(missing: problem, length: content.count, to: method)
        if method != .head { pieces = [Piece(bytes: ByteChunk(content))] }
    }

    private static func pieces(_ response: CassetteResponse, _ speed: Double?) -> [Piece] {
        let whole = ByteChunk(response.content)
        guard !response.pieces.isEmpty else { return whole.isEmpty ? [] : [Piece(bytes: whole)] }
        var start = 0
        return response.pieces.compactMap { piece in
            defer { start += piece.count }
            guard piece.count > 0 else { return nil }
            let time = speed.map { piece.time / 1000 / $0 } ?? 0
            return Piece(bytes: whole.dropFirst(start).prefix(piece.count), time: time)
        }
    }

    /// How long until the next piece is due; nil if it is due, or if something else holds it back.
    ///
    /// - Parameter elapsed: the seconds since the head.
    func wait(after elapsed: Double) -> Duration? {
        guard head == nil, credit > 0, let piece = pieces.last, piece.time > elapsed else { return nil }
        // An edit by hand may have made the time very long.
        return .seconds(min(piece.time - elapsed, 86_400))
    }

    /// The next step; nil if there is none, or none is allowed now.
    ///
    /// - Parameter elapsed: the seconds since the head.
    mutating func next(after elapsed: Double) -> Step? {
        if let head {
            self.head = nil
            return .head(head)
        }
        if let piece = pieces.popLast() {
            guard credit > 0, piece.time <= elapsed else {
                pieces.append(piece)
                return nil
            }
            let part = piece.bytes.prefix(credit)
            credit -= part.count
            if part.count < piece.bytes.count {
                pieces.append(Piece(bytes: piece.bytes.dropFirst(part.count), time: piece.time))
            }
            return .content(part)
        }
        guard !isOver else { return nil }
        isOver = true
        return .end(trailers: trailers)
    }
}
