import Eventing
import Exchanges
import HTTPCore

/// A response that waits until the store has marked what it invalidates, with the content received meanwhile.
///
/// That is no more than the credit that the origin has.
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
