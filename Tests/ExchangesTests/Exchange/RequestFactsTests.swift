import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@testable import Exchanges

@Suite("What a request says of itself") struct RequestFactsTests {
    private static func request(_ change: (inout OriginRequest) -> Void = { _ in }) -> OriginRequest {
        var request = OriginRequest(method: .get, uri: World.uri("/a"), fields: Fields())
        change(&request)
        return request
    }

    @Test("a denial alone is a policy, and so is a credential; names of TLS and of proxies are none")
    func policies() {
        let denial = Denial("no", rule: "rule")
        #expect(!Self.request().hasPolicies)
        #expect(Self.request { $0.policies.denial = denial }.hasPolicies)
        #expect(Self.request { $0.credential = Source() }.hasPolicies)
        #expect(!Self.request { $0.policies.security = "open" }.hasPolicies)
        #expect(!Self.request { $0.policies.proxy = "none" }.hasPolicies)
        var policies = ExchangePolicies()
        policies.denial = denial
        #expect(!policies.isEmpty && !policies.isDefault)
    }

    @Test("a denied request is refused, though it has no other policy")
    func denied() {
        let world = PolicyWorld()
        let receiver = world.start(denial: Denial("not here", rule: "rule"))
        #expect(receiver.log == ["failed"] && receiver.failure?.kind == .requestDenied && world.count == 0)
    }

    @Test("a credential, and content that can be sent again, are kept alone")
    func extras() {
        let source = Source()
        let request = OriginRequest(method: .get, uri: World.uri("/a"), fields: Fields(), credential: source)
        #expect(request.credential === source)
        let question = OriginRequest(
            method: .post,
            uri: World.uri("/a"),
            fields: Fields(),
            repeatableContent: ByteChunk("abc")
        )
        #expect(question.repeatableContent == ByteChunk("abc") && question.framing == .length(3))
        #expect(question.isRepeatable && !question.isWithoutContent)
    }

    @Test("a request that upgrades is made once")
    func upgrade() {
        #expect(Self.request().isRepeatable)
        #expect(!Self.request { $0.upgrade = Array("websocket".utf8) }.isRepeatable)
    }

    @Test("without a clock of its own nothing is measured for a request; the one it came from keeps its clock")
    func untimed() {
        let stopwatch = Stopwatch()
        let request = OriginRequest(
            method: .get,
            uri: World.uri("/a"),
            fields: Fields(),
            client: RequestingClient(address: nil, stopwatch: stopwatch)
        )
        #expect(request.untimed.client != nil && request.untimed.client?.stopwatch == nil)
        #expect(request.client?.stopwatch === stopwatch)
    }

    @Test("a stopwatch has what was noted last, and nothing after it was set back")
    func stopwatch() {
        let stopwatch = Stopwatch()
        stopwatch.change { $0.connect = 5 }
        stopwatch.change { $0.name = 7 }
        #expect(stopwatch.timings.connect == 5 && stopwatch.timings.name == 7)
        stopwatch.reset()
        #expect(stopwatch.timings == UpstreamTimings())
    }

    @Test("a ticket says whether the response is one that nodes share")
    func ticket() {
        let ticket = RequestTicket("load")
        #expect(!ticket.hasSharedAnswer)
        ticket.noteSharedAnswer()
        #expect(ticket.hasSharedAnswer)
        #expect(Self.request { $0.ticket = ticket }.ticket === ticket && Self.request().ticket == nil)
    }
}

private final class Source: CredentialSource {
    let subject: [UInt8] = []

    func credential(
        insteadOf refused: Credential?,
        _ context: CredentialContext,
        _ completion: @escaping @Sendable (Result<Credential, ExchangeFailure>) -> Void
    ) {}

    func mayReplace(_ refused: Credential, _ context: CredentialContext) -> Bool { false }
    func note(_ credential: Credential, isAccepted: Bool, _ context: CredentialContext) {}
}
