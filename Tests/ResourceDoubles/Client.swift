package import Exchanges
package import HTTPCore
import Locking
package import Outcomes
package import ResourceCore
package import TestDoubles
package import Transforms

/// A client that waits for one answer and reads what it follows.
package final class Client: WaiterDelegate {
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

    package enum Ending: Equatable { case complete, failed, refused }

    package let manualContext: ManualContext
    /// Whether it reads as soon as there is something.
    package let isReading: Bool
    private let state = Lock(State())

    package init(context: ManualContext, isReading: Bool = true) {
        manualContext = context
        self.isReading = isReading
    }

    package var context: any DeliveryContext { manualContext }
    package var answer: CacheResult? { state.withLock { $0.answer } }
    /// How many answers came.
    package var answers: Int { state.withLock { $0.answers } }
    package var interims: [UInt16] { state.withLock { $0.interims } }
    package var bytes: [UInt8] { state.withLock { $0.bytes } }
    package var text: String { String(decoding: state.withLock { $0.bytes }, as: UTF8.self) }
    package var byteCount: Int { state.withLock { $0.bytes.count + $0.fileBytes } }
    package var ending: Ending? { state.withLock { $0.ending } }

    package func waiterDidReceiveInterim(_ head: ResponseHead) { state.withLock { $0.interims.append(head.status) } }

    package func waiterDidReceive(_ answer: CacheResult) { take(answer) }

    package func take(_ answer: CacheResult) {
        state.withLock { state in
            state.answer = answer
            state.answers += 1
        }
        switch answer {
        case .stored(let stored, _):
            switch stored.body {
            case .bytes(let bytes): append([ByteChunk(bytes)])
            case .file(let file as JoinedBody): append([ByteChunk(file.read(Int(file.count), at: 0) ?? [])])
            case .file: break
            }
        case .following(let response, _):
            guard isReading else { return }
            beginReading(response.body)
        case .assembling, .pass, .failure, .refused:
            break
        }
    }

    package func beginReading(_ body: GrowingBody) {
        let reader = body.addReader(context: manualContext) { [weak self] in self?.read() }
        state.withLock { state in
            state.reader = reader
            if reader == nil { state.ending = .refused }
        }
        read()
    }

    package func read() {
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

    package func note(_ waiter: Waiter?) { state.withLock { $0.waiter = waiter } }

    /// Lets go of the answer.
    package func forget() { state.withLock { $0.answer = nil } }

    /// The client goes away.
    package func leave() {
        let (waiter, reader) = state.withLock { ($0.waiter, $0.reader) }
        reader?.cancel()
        waiter?.cancel()
    }
}

extension Client {
    package var outcome: CacheOutcome? {
        switch answer {
        case .stored(_, let outcome), .following(_, let outcome), .assembling(_, _, let outcome): outcome
        default: nil
        }
    }

    package var isHit: Bool { if case .stored(_, let outcome) = answer { outcome.isHit } else { false } }
    package var stored: StoredResponse? { if case .stored(let stored, _) = answer { stored } else { nil } }
    package var following: LoadedResponse? { if case .following(let response, _) = answer { response } else { nil } }
    /// The response without its bytes, if these are assembled.
    package var assembling: StoredResponse? {
        if case .assembling(let response, _, _) = answer { response } else { nil }
    }
    package var failure: ResourceError? { if case .failure(let error) = answer { error } else { nil } }
    package var pass: PassReason? { if case .pass(let reason) = answer { reason } else { nil } }
    package var refusal: CacheRefusal? { if case .refused(let reason) = answer { reason } else { nil } }
}
