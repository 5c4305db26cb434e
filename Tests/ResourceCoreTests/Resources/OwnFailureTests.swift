import Exchanges
import HTTPCore
import ResourceCore
import ResourceDoubles
import TestDoubles
import Testing

@Suite("Failures that say nothing of the origin")
struct OwnFailureTests {
    @Test(
        "nothing stale stands in where the request was refused, and not the network failed (C-7.2)",
        arguments: [
            (.destinationProhibited, 403), (.requestDenied, 403), (.loopDetected, 508), (.notSupported, 501),
            (.internalError, 502),
        ] as [(ExchangeFailure.Kind, UInt16)]
    )
    func refusedHere(kind: ExchangeFailure.Kind, status: UInt16) {
        let world = World()
        world.fill()
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get()
        world.last.fail(kind)
        world.runUntilIdle()
        #expect(client.failure?.status == status && client.text == "")
    }

    @Test("each other kind lets stale content be served, unless the origin has asked for a pause (C-7.2)")
    func kinds() {
        let own: Set<ExchangeFailure.Kind> = [
            .destinationProhibited, .requestDenied, .loopDetected, .notSupported, .cancelled, .internalError,
        ]
        for kind in ExchangeFailure.Kind.allCases {
            var failure = ExchangeFailure(kind, "scripted")
            #expect(failure.isNetworkLevel == !own.contains(kind), "\(kind)")
            failure.pausedBy = 429
            #expect(!failure.isNetworkLevel)
        }
    }
}
