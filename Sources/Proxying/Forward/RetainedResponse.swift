import Eventing
import Exchanges
import HTTPCore
import ResourceCore

/// A response that waits until what it makes invalid is marked at rest, and what has come of it meanwhile.
///
/// No more comes than the origin was granted.
struct RetainedResponse {
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
