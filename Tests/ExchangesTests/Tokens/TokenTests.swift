import ResourceCore
import ResourceDoubles
import Exchanges
import HTTPCore
import TestDoubles
import Testing

@Suite("Tokens") struct TokenTests {
    private let world = PolicyWorld()

    /// Reads `TOKEN SECONDS REFRESH`.
    private static func grant(_ bytes: [UInt8]) -> TokenSource.Grant? {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
        guard let token = words.first else { return nil }
        let seconds = words.count > 1 ? Int(words[1]) : nil
        return TokenSource.Grant(
            accessToken: token,
            expiresIn: seconds.map { .seconds($0) },
            refreshToken: words.count > 2 ? words[2] : nil
        )
    }

    private static func source(
        refreshToken: String? = nil,
        authentication: TokenSource.Request.Authentication = .basic,
        clientID: String = "respite",
        clientSecret: String = "s:t",
        security: String? = nil,
        proxy: String? = nil
    ) -> TokenSource {
        let request = TokenSource.Request(
            endpoint: World.uri("/token"),
            clientID: clientID,
            clientSecret: clientSecret,
            scope: "a b",
            refreshToken: refreshToken,
            authentication: authentication,
            security: security,
            proxy: proxy
        )
        return TokenSource(request, name: "service api", decode: grant)
    }

    private var tokenRequests: [ScriptedExchange] {
        world.origin.exchanges.filter { $0.request.uri == World.uri("/token") }
    }
    private var others: [ScriptedExchange] {
        world.origin.exchanges.filter { $0.request.uri != World.uri("/token") }
    }

    /// The endpoint answers what it was asked last.
    private func give(_ text: String, status: UInt16 = 200) {
        tokenRequests.last?.answer(status, [], text)
        world.context.run()
    }

    @Test("the first requests wait for one token, which goes with all of them in place of any other")
    func first() throws {
        let source = Self.source()
        let receivers = (0..<500).map { world.start("/\($0)", credential: source) }
        #expect(world.count == 1)
        let asked = try #require(tokenRequests.first)
        #expect(asked.request.method == .post)
        // RFC 6749 §2.3.1: both are escaped, then coded.
        #expect(asked.value(of: .authorization) == "Basic cmVzcGl0ZTpzJTNBdA==")
        #expect(asked.value(of: .accept) == "application/json")
        #expect(asked.value(of: .contentType) == "application/x-www-form-urlencoded")
        asked.wants(10)
        #expect(asked.sent.value.count == 10 && asked.ends.value == 0)
        // More than there is, and once more behind the end.
        for _ in 0..<2 { asked.wants(1000) }
        #expect(asked.ends.value == 1)
        #expect(String(decoding: asked.sent.value, as: UTF8.self) == "grant_type=client_credentials&scope=a+b")
        #expect(asked.request.framing == .length(Int64(asked.sent.value.count)))
        give("one")
        #expect(others.count == 500)
        #expect(others.allSatisfy { $0.value(of: .authorization) == "Bearer one" && $0.value(of: .accept) == "*/*" })
        for exchange in others { exchange.answer(200) }
        #expect(receivers.allSatisfy { $0.log == ["200", "end"] })
        _ = world.start("/again", credential: source)
        #expect(tokenRequests.count == 1 && world.statistics.tokens == 1)
    }

    @Test(
        "a token is renewed when a tenth of its lifetime is left, and a minute before its end at the earliest",
        arguments: [(100, 90), (600, 540), (3600, 3540)]
    )
    func renewal(lifetime: Int, renewedAfter: Int) {
        let source = Self.source()
        _ = world.start("/first", credential: source)
        give("one \(lifetime)")
        world.advance(by: .seconds(renewedAfter) - .milliseconds(1))
        _ = world.start("/before", credential: source)
        #expect(tokenRequests.count == 1)
        world.advance(by: .milliseconds(1))
        _ = world.start("/after", credential: source)
        #expect(tokenRequests.count == 2)
    }

    @Test("the endpoint's answer may have 64 KiB, and no more", arguments: [(65_536, true), (65_537, false)])
    func answerSize(count: Int, isAccepted: Bool) {
        let receiver = world.start("/first", credential: Self.source())
        give("one" + String(repeating: " ", count: count - 3))
        #expect(receiver.log == (isAccepted ? [] : ["failed"]))
        #expect(others.count == (isAccepted ? 1 : 0))
    }

    @Test("a token that another thread wants is asked for on the context of exchanges")
    func otherThread() {
        let context = CredentialContext(
            provider: world.origin,
            timekeeper: world.timekeeper,
            statistics: world.statistics
        )
        let results = LockedBox<[Result<Credential, ExchangeFailure>]>([])
        Self.source().credential(insteadOf: nil, context) { result in results.change { $0.append(result) } }
        #expect(world.count == 0)
        world.context.run()
        #expect(tokenRequests.count == 1)
        give("one")
        #expect(results.value.compactMap { try? $0.get().value } == [Array("Bearer one".utf8)])
    }

    @Test("500 requests refused with 401: one further token, and each is made once more")
    func refused() {
        let source = Self.source()
        _ = world.start("/first", credential: source)
        give("old 3600")
        world.advance(by: .seconds(10))
        let receivers = (0..<500).map { world.start("/\($0)", credential: source) }
        let refused = others.dropFirst()
        // The last half is refused when the new token is there already.
        for exchange in refused.prefix(250) { exchange.answer(401) }
        world.context.run()
        #expect(tokenRequests.count == 2)
        give("new 3600")
        for exchange in refused.dropFirst(250) { exchange.answer(401) }
        world.context.run()
        #expect(tokenRequests.count == 2)
        let repeated = others.dropFirst(501)
        #expect(repeated.count == 500)
        #expect(repeated.allSatisfy { $0.value(of: .authorization) == "Bearer new" })
        for exchange in repeated { exchange.answer(200, [], "yes") }
        #expect(receivers.allSatisfy { $0.log == ["200", "\"yes\"", "end"] })
    }

    @Test("a second 401 is the receiver's; a token that was just got is not got again")
    func refusedTwice() {
        let source = Self.source()
        let early = world.start(credential: source)
        give("one 3600")
        world.last.answer(401, [], "no")
        #expect(early.log == ["401", "\"no\"", "end"])
        world.advance(by: .seconds(10))
        let late = world.start("/b", credential: source)
        world.last.answer(401)
        world.context.run()
        give("two 3600")
        world.last.answer(401, [], "still no")
        #expect(late.log == ["401", "\"still no\"", "end"])
        #expect(tokenRequests.count == 2)
        // Others are let in by it: who is not, causes no further token for a while.
        let other = world.start("/c", credential: source)
        world.last.answer(200)
        let again = world.start("/b", credential: source)
        world.last.answer(401)
        #expect(other.log == ["200", "end"] && again.log == ["401", "end"])
        #expect(tokenRequests.count == 2)
    }

    @Test("a token that was taken before and is refused now is replaced at once, however young")
    func revoked() {
        let source = Self.source()
        _ = world.start(credential: source)
        give("one 3600")
        world.last.answer(200)
        let receiver = world.start("/b", credential: source)
        world.last.answer(401)
        world.context.run()
        give("two 3600")
        world.last.answer(200)
        #expect(receiver.log == ["200", "end"] && tokenRequests.count == 2)
    }

    @Test("the endpoint is asked under what TLS is spoken under where it is", arguments: [nil, "idp"])
    func security(name: String?) {
        _ = world.start(credential: Self.source(security: name))
        #expect(tokenRequests.count == 1 && tokenRequests[0].request.policies.security == name)
    }

    @Test("the endpoint is asked on the way that requests to it go")
    func proxy() {
        _ = world.start(credential: Self.source(proxy: "idp"))
        #expect(tokenRequests.count == 1 && tokenRequests[0].request.policies.proxy == "idp")
        #expect(Self.source(proxy: "idp").request != Self.source().request)
    }

    @Test(
        "whose tokens they are is told by endpoint, client, scope and refresh token, not by what renews them (C-20.1b)"
    )
    func subject() {
        let source = Self.source(refreshToken: "one")
        let before = source.subject
        _ = world.start(credential: source)
        give("token 3600 two")
        #expect(source.subject == before && Self.source(refreshToken: "one", clientSecret: "new").subject == before)
        #expect(Self.source(refreshToken: "other").subject != before && Self.source().subject != before)
        #expect(Self.source(clientID: "other").subject != Self.source().subject)
    }

    @Test("a request with content is made once; its 401 is passed on")
    func content() {
        let source = Self.source()
        let receiver = world.start(method: .post, framing: .length(3), credential: source)
        give("one 3600")
        world.advance(by: .seconds(10))
        world.last.answer(401)
        #expect(receiver.log == ["401", "end"])
    }

    @Test("shortly before it expires a token is renewed while it is still used; after that requests wait")
    func renewal() {
        let source = Self.source()
        _ = world.start(credential: source)
        give("one 100")
        world.advance(by: .seconds(89))
        _ = world.start("/b", credential: source)
        #expect(tokenRequests.count == 1)
        world.advance(by: .seconds(1))
        _ = world.start("/c", credential: source)
        _ = world.start("/d", credential: source)
        #expect(tokenRequests.count == 2)
        #expect(others.suffix(2).allSatisfy { $0.value(of: .authorization) == "Bearer one" })
        let before = others.count
        world.advance(by: .seconds(10))
        _ = world.start("/e", credential: source)
        #expect(others.count == before && tokenRequests.count == 2)
        give("two 100")
        #expect(others.last?.value(of: .authorization) == "Bearer two")
    }

    @Test("who waits for a token that cannot be got is told, and the endpoint is left alone for a while")
    func failure() {
        let source = Self.source()
        let receivers = (0..<3).map { world.start("/\($0)", credential: source) }
        give("secret words", status: 400)
        #expect(receivers.allSatisfy { $0.log == ["failed"] && $0.failure?.status == 502 })
        let message = receivers[0].failure?.userMessage ?? ""
        #expect(message.contains("service api") && message.contains("400") && !message.contains("secret"))
        #expect(world.start("/b", credential: source).log == ["failed"])
        #expect(tokenRequests.count == 1)
        world.advance(by: .milliseconds(1001))
        _ = world.start("/c", credential: source)
        #expect(tokenRequests.count == 2)
        tokenRequests.last?.fail(.connectionRefused)
        world.context.run()
        world.advance(by: .milliseconds(1001))
        let last = world.start("/d", credential: source)
        give("")
        #expect(last.log == ["failed"])
    }

    @Test("a request for which no token can be got has not arrived at its origin")
    func notArrived() {
        let receiver = world.start(method: .post, framing: .length(3), credential: Self.source())
        tokenRequests.last?.fail(.connectionTerminated)
        world.context.run()
        #expect(receiver.log == ["failed"] && others.isEmpty)
        #expect(receiver.failure?.requestMayHaveArrived == false)
    }

    @Test(
        "a refresh token is used, and the one that takes its place afterwards; a client may tell who it is in the content"
    )
    func refreshToken() throws {
        let source = Self.source(refreshToken: "r1", authentication: .content)
        _ = world.start(credential: source)
        let asked = try #require(tokenRequests.last)
        asked.wants(1000)
        #expect(asked.value(of: .authorization) == nil)
        #expect(
            String(decoding: asked.sent.value, as: UTF8.self)
                == "grant_type=refresh_token&refresh_token=r1&scope=a+b&client_id=respite&client_secret=s%3At"
        )
        give("one 100 r2")
        world.advance(by: .seconds(100))
        _ = world.start("/b", credential: source)
        let next = try #require(tokenRequests.last)
        next.wants(1000)
        #expect(String(decoding: next.sent.value, as: UTF8.self).contains("refresh_token=r2&"))
    }

    @Test("with retries a failing origin is tried again, with the same token")
    func retries() {
        let source = Self.source()
        let receiver = world.start(retry: RetryPolicy(), credential: source)
        give("one")
        world.last.answer(503)
        world.advance(by: .milliseconds(200))
        #expect(others.count == 2 && others.last?.value(of: .authorization) == "Bearer one")
        world.last.answer(200)
        #expect(receiver.log == ["200", "end"] && tokenRequests.count == 1)
    }

    @Test("a resource's load bears the credential of its cause")
    func loads() {
        let world = World()
        var request = world.request()
        request.credential = Self.source()
        let client = Client(context: world.context)
        _ = world.resource().serve(request, to: client)
        world.runUntilIdle()
        #expect(world.last.request.credential === request.credential)
    }
}
