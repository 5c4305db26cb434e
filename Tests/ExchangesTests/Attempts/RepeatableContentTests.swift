import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@Suite("Content that may be sent again") struct RepeatableContentTests {
    private func start(_ world: PolicyWorld, _ credential: (any CredentialSource)? = nil) -> PolicyReceiver {
        var request = OriginRequest(
            method: .post,
            uri: World.uri("/a"),
            fields: Fields(),
            repeatableContent: ByteChunk("question")
        )
        request.policies = ExchangePolicies(retry: RetryPolicy())
        request.credential = credential
        let receiver = PolicyReceiver()
        receiver.exchange.change { $0 = world.context.perform { world.provider.start(request, receiver: receiver) } }
        world.context.run()
        return receiver
    }

    @Test("a question is retried with its content, whatever its method")
    func retried() {
        let world = PolicyWorld()
        let receiver = start(world)
        world.last.fail(.connectionRefused)
        world.advance(by: .milliseconds(200))
        #expect(world.count == 2 && world.last.request.repeatableContent == ByteChunk("question"))
        #expect(world.last.request.framing == .length(8))
        world.last.answer(200, [], "abc")
        #expect(receiver.log == ["200", "\"abc\"", "end"])
    }

    @Test("only requests that change nothing by it are repeatable, or those with known content")
    func repeatable() {
        func isRepeatable(_ method: Method, _ framing: Framing = .none, _ content: ByteChunk? = nil) -> Bool {
            OriginRequest(
                method: method,
                uri: World.uri("/a"),
                fields: Fields(),
                framing: framing,
                repeatableContent: content
            )
            .isRepeatable
        }
        #expect(isRepeatable(.get) && isRepeatable(.query, .length(0)) && isRepeatable(.put))
        #expect(!isRepeatable(.post) && !isRepeatable(.query, .length(1)) && !isRepeatable(.get, .chunked))
        #expect(isRepeatable(.post, .none, ByteChunk("x")) && isRepeatable(.query, .none, ByteChunk("x")))
    }
}
