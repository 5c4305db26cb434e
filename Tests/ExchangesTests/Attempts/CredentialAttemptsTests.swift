import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@Suite("Requests that bear a credential") struct CredentialAttemptsTests {
    private static func start(
        _ world: PolicyWorld,
        _ source: CountingSource,
        _ content: ByteChunk? = nil,
        _ lines: [(String, String)] = []
    ) -> PolicyReceiver {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        let request = OriginRequest(
            method: content == nil ? .get : .post,
            uri: World.uri("/a"),
            fields: fields,
            credential: source,
            repeatableContent: content
        )
        let receiver = PolicyReceiver()
        receiver.exchange.change { $0 = world.context.perform { world.provider.start(request, receiver: receiver) } }
        world.context.run()
        return receiver
    }

    @Test("the credential takes the place of all fields of its name")
    func replaced() {
        let world = PolicyWorld()
        let lines = [("X-KEY", "client"), ("Accept", "*/*"), ("x-key", "again")]
        _ = Self.start(world, CountingSource(), nil, lines)
        let fields = world.last.request.fields
        #expect(fields.values(named: Array("x-key".utf8)) == [Array("1".utf8)])
        #expect(fields.lines.count == 2 && fields.text(of: .accept) == "*/*")
    }

    @Test("a question that is refused is sent again with its content; the source hears of the second refusal alone")
    func question() {
        let world = PolicyWorld()
        let source = CountingSource()
        let receiver = Self.start(world, source, ByteChunk("question"))
        world.last.answer(401)
        world.context.run()
        #expect(world.count == 2 && world.last.request.repeatableContent == ByteChunk("question"))
        #expect(source.refused.value == [nil, 1] && source.notes.value.isEmpty)
        world.last.answer(401, [], "no")
        #expect(receiver.log == ["401", "\"no\"", "end"] && world.count == 2)
        #expect(source.notes.value == ["2 refused"])
    }

    @Test("a status other than 401 says that the credential was accepted", arguments: [200, 403, 400, 402] as [UInt16])
    func accepted(status: UInt16) {
        let world = PolicyWorld()
        let source = CountingSource()
        let receiver = Self.start(world, source)
        world.last.answer(status)
        #expect(receiver.log == ["\(status)", "end"] && source.notes.value == ["1 accepted"])
    }
}

/// Credentials with the numbers from 1.
private final class CountingSource: CredentialSource {
    let refused = LockedBox<[UInt64?]>([])
    let notes = LockedBox<[String]>([])
    let subject: [UInt8] = []

    func credential(
        insteadOf refused: Credential?,
        _ context: CredentialContext,
        _ completion: @escaping @Sendable (Result<Credential, ExchangeFailure>) -> Void
    ) {
        let number = self.refused.change { all in
            all.append(refused?.number)
            return all.count
        }
        let value = Array("\(number)".utf8)
        completion(.success(Credential(name: Array("X-Key".utf8), value: value, number: UInt64(number))))
    }

    func mayReplace(_ refused: Credential, _ context: CredentialContext) -> Bool { true }

    func note(_ credential: Credential, isAccepted: Bool, _ context: CredentialContext) {
        notes.change { $0.append("\(credential.number) \(isAccepted ? "accepted" : "refused")") }
    }
}
