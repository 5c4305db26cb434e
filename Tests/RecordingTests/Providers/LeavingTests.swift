import Cassettes
import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Recording

/// Clients that leave while a replayed exchange sets something up for them.
@Suite struct LeavingTests {
    /// A clock and an origin that first do what a test says when they are asked for a timer or an exchange.
    private final class Interruption: Timekeeper, ExchangeProvider {
        final class Token: TimerToken {
            let isCancelled = LockedBox(false)
            func cancel() { isCancelled.change { $0 = true } }
        }

        let work = LockedBox<(@Sendable () -> Void)?>(nil)
        let tokens = LockedBox<[Token]>([])
        let origin: ScriptedProvider
        private let clock = ManualTimekeeper()

        init(_ origin: ScriptedProvider) { self.origin = origin }

        var context: any DeliveryContext { origin.context }
        var now: MonotonicTime { clock.now }
        var wallNow: HTTPDate { clock.wallNow }

        private func interrupt() {
            let work = work.value
            self.work.change { $0 = nil }
            work?()
        }

        func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken {
            interrupt()
            let token = Token()
            tokens.change { $0.append(token) }
            return token
        }

        func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
            interrupt()
            return origin.start(request, receiver: receiver)
        }
    }

    /// Asks for `http://a.example/x`, and leaves when the exchange is interrupted if `leaves`.
    private static func ask(
        _ session: CassetteSession,
        leaves: Bool
    ) throws -> (client: SessionClient, place: Interruption) {
        let context = ManualContext()
        let place = Interruption(ScriptedProvider(context: context))
        let provider = session.provider(over: place, place)
        let request = OriginRequest(method: .get, uri: try TargetURI(parsing: "http://a.example/x"), fields: Fields())
        let client = SessionClient()
        let exchange = context.perform { provider.start(request, receiver: client) }
        if leaves { place.work.change { $0 = { exchange.cancel() } } }
        context.run()
        return (client, place)
    }

    @Test(
        "a client that leaves while its exchange begins to wait for a piece leaves no timer; that of others stays",
        arguments: [true, false]
    )
    func timer(leaves: Bool) throws {
        // Given a stream whose second piece is due a second behind the first
        let entry = CassetteEntry(
            started: "2026-01-01T00:00:00Z",
            request: CassetteRequest(method: "GET", url: "http://a.example/x"),
            response: CassetteResponse(
                status: 200,
                content: Array("ab".utf8),
                pieces: [CassettePiece(count: 1, time: 0), CassettePiece(count: 1, time: 1000)]
            )
        )
        let session = try CassetteSession(
            replaying: Cassette(entries: [entry]),
            .standard,
            isStrict: false,
            onMiss: .fail,
            speed: 1
        )
        // When its client leaves, or stays, then
        let (client, place) = try Self.ask(session, leaves: leaves)
        #expect(place.tokens.value.map(\.isCancelled.value) == [leaves])
        #expect(client.pieces.value == ["a"] && client.outcome.value == nil)
    }

    @Test(
        "a client that leaves while the origin is asked for it ends that exchange, too; that of others stays",
        arguments: [true, false]
    )
    func origin(leaves: Bool) throws {
        let session = try CassetteSession(replaying: Cassette(), .standard, isStrict: false, onMiss: .pass)
        let (client, place) = try Self.ask(session, leaves: leaves)
        #expect(place.origin.exchanges.map(\.isCancelled) == [leaves])
        #expect(client.status == nil && client.outcome.value == nil)
    }
}
