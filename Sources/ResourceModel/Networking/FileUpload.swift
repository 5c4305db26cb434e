import Exchanges
import HTTPCore
import Locking

/// Sends a file over an exchange, as that asks for content; holds one piece in memory.
final class FileUpload: Sendable {
    private struct State {
        /// Nil before the exchange has begun, and once the request is over.
        var exchange: (any Exchange)?
        var onFailure: (@Sendable (any Error) -> Void)?
        /// Bytes that the exchange has asked for, and not been sent.
        var wanted = 0
        var sent: Int64 = 0
        /// Whether the pieces are being sent.
        var isSending = false
        var isFinished = false
    }

    private struct Piece {
        var exchange: any Exchange
        var offset: Int64
        var count: Int
        var isLast: Bool
    }

    private static let pieceSize = 128 * 1024

    private let file: OutgoingFile
    private let files = FileQueue()
    private let state = Lock(State())

    init(_ file: OutgoingFile) { self.file = file }

    var size: Int64 { file.size }
    var sent: Int64 { state.withLock { $0.sent } }

    /// The exchange has begun; `onFailure` is called once if the file cannot be sent to its end.
    func begin(_ exchange: any Exchange, onFailure: @escaping @Sendable (any Error) -> Void) {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.exchange = exchange
            state.onFailure = onFailure
        }
        want(0)
    }

    /// The request is over: nothing more is sent.
    func end() {
        // Released outside of the lock.
        let former = state.withLock { state in
            defer { state = State(sent: state.sent, isSending: state.isSending, isFinished: true) }
            return state
        }
        withExtendedLifetime(former) {}
    }

    /// The exchange asks for so many bytes more.
    func want(_ bytes: Int) {
        let begins = state.withLock { state in
            let (sum, overflow) = state.wanted.addingReportingOverflow(max(0, bytes))
            state.wanted = overflow ? .max : sum
            guard !state.isSending, state.exchange != nil, state.wanted > 0 else { return false }
            state.isSending = true
            return true
        }
        if begins { files.submit { self.sendPieces() } }
    }

    private func sendPieces() {
        while let piece = nextPiece() {
            let bytes: [UInt8]
            do {
                bytes = try file.read(from: piece.offset, count: piece.count)
            } catch {
                return fail(error)
            }
            if !bytes.isEmpty { piece.exchange.send(ByteChunk(bytes)) }
            if piece.isLast { piece.exchange.finish(trailers: nil) }
        }
    }

    /// What to send now; nil while the exchange wants nothing.
    private func nextPiece() -> Piece? {
        state.withLock { state in
            guard let exchange = state.exchange, !state.isFinished, state.wanted > 0 else {
                state.isSending = false
                return nil
            }
            let count = Int(min(Int64(min(state.wanted, Self.pieceSize)), size - state.sent))
            let offset = state.sent
            state.sent += Int64(count)
            state.wanted -= count
            state.isFinished = state.sent == size
            return Piece(exchange: exchange, offset: offset, count: count, isLast: state.isFinished)
        }
    }

    private func fail(_ error: any Error) {
        let onFailure = state.withLock { state in
            defer { state.onFailure = nil }
            state.isFinished = true
            return state.onFailure
        }
        onFailure?(error)
    }
}
