import Eventing
import Exchanges
import HTTPCore

/// A response that waits until the store has marked what it makes invalid, with what has come of it meanwhile.
///
/// No more comes than the origin was granted.
struct DeferredResponse {
    enum End {
        case whole(trailers: Fields?)
        case failed(ExchangeFailure)
    }

    let head: ResponseHead
    let marks: PendingMarks
    let timer: LoopTimer
    var chunks: [ByteChunk] = []
    var end: End?

    func stopWaiting() {
        timer.cancel()
        marks.forget()
    }
}
