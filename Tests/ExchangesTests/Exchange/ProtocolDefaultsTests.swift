import Exchanges
import HTTPCore
import TestDoubles
import Testing

/// A receiver that states only what it must, and keeps what it gets.
private final class PlainReceiver: ExchangeReceiver {
    let log = LockedBox<[String]>([])

    private func note(_ what: String) { log.change { $0.append(what) } }

    func exchangeDidReceiveInterim(_ head: ResponseHead) { note("interim \(head.status)") }
    func exchangeDidReceive(_ head: ResponseHead) { note("\(head.status)") }
    func exchangeDidReceive(_ chunk: ByteChunk) { note("\(chunk.count) bytes") }
    func exchangeDidEnd(trailers: Fields?) { note(trailers == nil ? "end" : "end with trailers") }
    func exchangeDidFail(_ failure: ExchangeFailure) { note("failed") }
    func exchangeWantsContent(_ bytes: Int) { note("wants") }
}

private final class PlainConnection: SwitchedConnection {
    let closes = LockedBox(0)
    func close() { closes.change { $0 += 1 } }
}

@Suite("Parts of exchanges that state only what they must") struct ProtocolDefaultsTests {
    @Test("a receiver that takes no response in one piece gets its parts, and no content where there is none")
    func parts() {
        let receiver = PlainReceiver()
        #expect(!receiver.acceptsWholeResponses)
        receiver.exchangeDidReceive(WholeResponse(head: ResponseHead(status: 200), content: ByteChunk("abc")))
        receiver.exchangeDidReceive(WholeResponse(head: ResponseHead(status: 204), content: ByteChunk([])))
        #expect(receiver.log.value == ["200", "3 bytes", "end", "204", "end"])
    }

    @Test("a receiver that asks for no other protocol closes a connection that switched")
    func switched() {
        let (receiver, connection) = (PlainReceiver(), PlainConnection())
        receiver.exchangeDidSwitch(ResponseHead(status: 101), to: connection)
        #expect(connection.closes.value == 1 && receiver.log.value.isEmpty)
    }

    @Test("a provider wants no tickets, and a clock knows the wall's time to the second")
    func others() {
        #expect(!ScriptedProvider(context: ManualContext()).wantsTickets)
        let timekeeper = ManualTimekeeper()
        timekeeper.advance(by: .milliseconds(1500))
        #expect(timekeeper.timestamp == Timestamp(sinceEpoch: .seconds(1_000_001)))
    }
}
