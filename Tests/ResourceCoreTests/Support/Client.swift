import Exchanges
import HTTPCaching
import HTTPCore
import Locking
import ResourceCore
import ResourceModel
import TestDoubles
import Transforms

/// A client that waits for one answer and reads what it follows.
final class Client: WaiterDelegate {
    private struct State {
        var answer: CacheResult?
        var answers = 0
        var interims: [UInt16] = []
        var reader: BodyReader?
        var bytes: [UInt8] = []
        var ending: Ending?
        var waiter: Waiter?
        var fileBytes = 0
    }

    enum Ending: Equatable { case complete, failed, refused }

    let manualContext: ManualContext
    /// Whether it reads as soon as there is something.
    let isReading: Bool
    private let state = Lock(State())

    init(context: ManualContext, isReading: Bool = true) {
        manualContext = context
        self.isReading = isReading
    }

    var context: any DeliveryContext { manualContext }
    var answer: CacheResult? { state.withLock { $0.answer } }
    /// How many answers came.
    var answers: Int { state.withLock { $0.answers } }
    var interims: [UInt16] { state.withLock { $0.interims } }
    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var text: String { String(decoding: state.withLock { $0.bytes }, as: UTF8.self) }
    var byteCount: Int { state.withLock { $0.bytes.count + $0.fileBytes } }
    var ending: Ending? { state.withLock { $0.ending } }

    func waiterDidReceiveInterim(_ head: ResponseHead) { state.withLock { $0.interims.append(head.status) } }

    func waiterDidReceive(_ answer: CacheResult) { take(answer) }

    func take(_ answer: CacheResult) {
        state.withLock { state in
            state.answer = answer
            state.answers += 1
        }
        switch answer {
        case .stored(let stored, _):
            if case .bytes(let bytes) = stored.body { append([ByteChunk(bytes)]) }
        case .following(let response, _):
            guard isReading else { return }
            beginReading(response.body)
        case .pass, .failure, .refused:
            break
        }
    }

    func beginReading(_ body: GrowingBody) {
        let reader = body.addReader(context: manualContext) { [weak self] in self?.read() }
        state.withLock { state in
            state.reader = reader
            if reader == nil { state.ending = .refused }
        }
        read()
    }

    func read() {
        while let reader = state.withLock({ $0.reader }) {
            switch reader.read(maximum: 65_536) {
            case .chunks(let chunks): append(chunks)
            case .file(let region): state.withLock { $0.fileBytes += region.count }
            case .wait: return
            case .end: return end(.complete)
            case .failed: return end(.failed)
            }
        }
    }

    private func append(_ chunks: [ByteChunk]) {
        state.withLock { state in for chunk in chunks { state.bytes += chunk.bytes } }
    }

    private func end(_ ending: Ending) {
        state.withLock { state in
            state.ending = ending
            state.reader = nil
        }
    }

    func note(_ waiter: Waiter?) { state.withLock { $0.waiter = waiter } }

    /// Lets go of the answer.
    func forget() { state.withLock { $0.answer = nil } }

    /// The client goes away.
    func leave() {
        let (waiter, reader) = state.withLock { ($0.waiter, $0.reader) }
        reader?.cancel()
        waiter?.cancel()
    }
}

extension Client {
    var outcome: CacheOutcome? {
        switch answer {
        case .stored(_, let outcome), .following(_, let outcome): outcome
        default: nil
        }
    }

    var isHit: Bool { if case .stored(_, let outcome) = answer { outcome.isHit } else { false } }
    var stored: StoredResponse? { if case .stored(let stored, _) = answer { stored } else { nil } }
    var following: LoadedResponse? { if case .following(let response, _) = answer { response } else { nil } }
    var failure: ResourceError? { if case .failure(let error) = answer { error } else { nil } }
    var pass: PassReason? { if case .pass(let reason) = answer { reason } else { nil } }
    var refusal: CacheRefusal? { if case .refused(let reason) = answer { reason } else { nil } }
}
