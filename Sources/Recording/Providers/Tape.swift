import Cassettes
import Exchanges
import HTTPCore
import Locking

/// What one exchange has carried so far; it becomes an entry of the cassette if it ends well.
final class Tape: Sendable {
    private struct State {
        var sent: [UInt8] = []
        var head: ResponseHead?
        var received: [UInt8] = []
        var pieces: [CassettePiece] = []
        var headTime: MonotonicTime?
        /// Bytes for which the session has made room.
        var size = 0
        /// Why it is not recorded.
        var fault: String?
        var isOver = false
    }

    private let request: OriginRequest
    private let session: CassetteSession
    private let timekeeper: any Timekeeper
    private let number: Int
    private let begin: MonotonicTime
    private let started: Timestamp
    private let state = Lock(State())

    init(_ request: OriginRequest, _ session: CassetteSession, _ timekeeper: any Timekeeper) {
        self.request = request
        self.session = session
        self.timekeeper = timekeeper
        number = session.begin()
        begin = timekeeper.now
        started = timekeeper.timestamp
    }

    func note(sent chunk: ByteChunk) { store(chunk) { $0.sent += chunk.bytes } }

    func note(_ head: ResponseHead) {
        let now = timekeeper.now
        state.withLock { state in
            state.head = head
            state.headTime = now
        }
    }

    func note(received chunk: ByteChunk) {
        let now = timekeeper.now
        store(chunk) { state in
            state.received += chunk.bytes
            let time = state.headTime.map { now - $0 } ?? .zero
            state.pieces.append(CassettePiece(count: chunk.count, time: time.milliseconds))
        }
    }

    private func store(_ chunk: ByteChunk, _ body: (inout State) -> Void) {
        let hasRoom = session.reserve(chunk.count)
        state.withLock { state in
            if hasRoom { state.size += chunk.count }
            guard !state.isOver, state.fault == nil else { return }
            if !hasRoom {
                state.fault = "the recording has more than \(CassetteSession.sizeLimit >> 20) MiB of content"
            } else if max(state.sent.count, state.received.count) + chunk.count > CassetteSession.contentLimit {
                state.fault = "its content has more than \(CassetteSession.contentLimit >> 20) MiB"
            } else {
                return body(&state)
            }
            (state.sent, state.received, state.pieces) = ([], [], [])
        }
    }

    // MARK: The end

    func end(trailers: Fields?) {
        guard let state = take() else { return }
        if let fault = state.fault { return drop(state, fault) }
        guard let head = state.head else { return drop(state, "it has no response") }
        let headTime = state.headTime ?? begin
        let entry = CassetteEntry(
            started: started.description,
            waited: (headTime - begin).milliseconds,
            received: (timekeeper.now - headTime).milliseconds,
            request: CassetteRequest(request, content: state.sent),
            response: CassetteResponse(head, state.received, trailers, state.pieces)
        )
        session.add(entry, number: number)
    }

    /// Ends without a complete response: the exchange is not recorded.
    func end(failure: String) {
        guard let state = take() else { return }
        drop(state, failure)
    }

    /// What was noted; nil from the second call on.
    private func take() -> State? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            defer {
                state = State()
                state.isOver = true
            }
            return state
        }
    }

    private func drop(_ state: State, _ reason: String) {
        session.release(state.size)
        session.note(unrecorded: "\(request.method.text) \(session.redacted(request.uri.text)): \(reason)")
    }
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
    }
}

extension CassetteResponse {
    /// A response as it was received.
    fileprivate init(_ head: ResponseHead, _ content: [UInt8], _ trailers: Fields?, _ pieces: [CassettePiece]) {
        var fields = head.fields
        HopByHop.strip(response: &fields)
        let isStream = Self.isStream(head.fields)
        self.init(
            status: head.status,
            reason: head.reason.isEmpty
                ? String(describing: ReasonPhrase.text(for: head.status))
                : String(decoding: head.reason, as: UTF8.self),
            fields: fields.recorded,
            content: content,
            trailers: trailers?.recorded ?? [],
            pieces: isStream ? pieces : []
        )
    }

    /// Whether the times of pieces matter: the content is events, or lines of JSON.
    private static func isStream(_ fields: Fields) -> Bool {
        let type = (fields.text(of: .contentType) ?? "").prefix { $0 != ";" }.lowercased()
        let name = type.filter { $0 != " " }
        return name == "text/event-stream" || ContentKind.linedTypes.contains(name)
    }
}
