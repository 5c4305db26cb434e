import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@Suite("Denied requests") struct DenialTests {
    @Test("a denied request reaches no origin, is not repeated, and fails with the rule's text and 403")
    func denied() {
        let world = PolicyWorld(origins: CircuitBreakers())
        let receiver = world.start(retry: RetryPolicy(), denial: Denial("not here", rule: "rule 1"))
        world.advance(by: .seconds(10))
        #expect(world.count == 0 && receiver.log == ["failed"])
        #expect(receiver.failure?.kind == .requestDenied && receiver.failure?.status == 403)
        #expect(receiver.failure?.userMessage == "not here")
    }
}
