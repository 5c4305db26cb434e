import Exchanges
import HTTPCore

/// Records the exchanges of another provider.
///
/// It asks origins for content without a content coding, so that people can read the cassette.
final class RecordingProvider: ExchangeProvider {
    private let base: any ExchangeProvider
    private let session: CassetteSession
    private let timekeeper: any Timekeeper

    init(_ base: any ExchangeProvider, _ session: CassetteSession, _ timekeeper: any Timekeeper) {
        self.base = base
        self.session = session
        self.timekeeper = timekeeper
    }

    var context: any DeliveryContext { base.context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        if let kind = request.unrecordableKind {
            session.note(
                unrecorded: "\(request.method.text) \(session.redacted(request.uri.text)): \(kind) are not recorded"
            )
            return base.start(request, receiver: receiver)
        }
        let tape = Tape(request, session, timekeeper)
        var sent = request
        sent.fields.set(.acceptEncoding, "identity")
        return TapedExchange(base.start(sent, receiver: TapedReceiver(receiver, tape)), tape)
    }
}

/// An exchange whose request is recorded.
private final class TapedExchange: Exchange {
    private let exchange: any Exchange
    private let tape: Tape

    init(_ exchange: any Exchange, _ tape: Tape) {
        self.exchange = exchange
        self.tape = tape
    }

    func grant(_ bytes: Int) { exchange.grant(bytes) }

    func send(_ chunk: ByteChunk) {
        tape.note(sent: chunk)
        exchange.send(chunk)
    }

    func finish(trailers: Fields?) { exchange.finish(trailers: trailers) }

    func cancel() {
        exchange.cancel()
        tape.end(failure: "the client has left before its end")
    }
}

/// Records the response, and passes it on.
private final class TapedReceiver: ExchangeReceiver {
    private let receiver: any ExchangeReceiver
    private let tape: Tape

    init(_ receiver: any ExchangeReceiver, _ tape: Tape) {
        self.receiver = receiver
        self.tape = tape
    }

    var acceptsWholeResponses: Bool { receiver.acceptsWholeResponses }

    func exchangeDidReceiveInterim(_ head: ResponseHead) { receiver.exchangeDidReceiveInterim(head) }

    func exchangeDidReceive(_ head: ResponseHead) {
        tape.note(head)
        receiver.exchangeDidReceive(head)
    }

    func exchangeDidReceive(_ chunk: ByteChunk) {
        tape.note(received: chunk)
        receiver.exchangeDidReceive(chunk)
    }

    func exchangeDidEnd(trailers: Fields?) {
        tape.end(trailers: trailers)
        receiver.exchangeDidEnd(trailers: trailers)
    }

    func exchangeDidReceive(_ whole: WholeResponse) {
        tape.note(whole.head)
        if !whole.content.isEmpty { tape.note(received: whole.content) }
        tape.end(trailers: nil)
        receiver.exchangeDidReceive(whole)
    }

    func exchangeDidFail(_ failure: ExchangeFailure) {
        tape.end(failure: failure.userMessage)
        receiver.exchangeDidFail(failure)
    }

    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        tape.end(failure: "the origin has switched to another protocol")
        receiver.exchangeDidSwitch(head, to: connection)
    }

    func exchangeWantsContent(_ bytes: Int) { receiver.exchangeWantsContent(bytes) }
}
