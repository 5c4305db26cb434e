import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@testable import Exchanges

@Suite("Requests for tokens") struct TokenRequestTests {
    private typealias Request = TokenSource.Request

    private static func request(
        _ secret: String = "s",
        scope: String = "",
        _ authentication: Request.Authentication = .basic
    ) -> Request {
        Request(
            endpoint: World.uri("/token"),
            clientID: "me & you",
            clientSecret: secret,
            scope: scope,
            authentication: authentication
        )
    }

    @Test("a client says who it is once: in Authorization, or in the content")
    func client() {
        let cases: [(request: Request, content: String, authorization: String?)] = [
            (Self.request(), "grant_type=client_credentials", "Basic bWUrJTI2K3lvdTpz"),
            (Self.request(scope: "a b"), "grant_type=client_credentials&scope=a+b", "Basic bWUrJTI2K3lvdTpz"),
            (Self.request(""), "grant_type=client_credentials&client_id=me+%26+you", nil),
            (
                Self.request("s", .content),
                "grant_type=client_credentials&client_id=me+%26+you&client_secret=s", nil
            ),
            (Self.request("", .content), "grant_type=client_credentials&client_id=me+%26+you", nil),
        ]
        for (request, content, authorization) in cases {
            #expect(request.content(refreshToken: nil) == Array(content.utf8))
            #expect(request.authorization == authorization.map { Array($0.utf8) })
        }
        #expect(
            Self.request().content(refreshToken: "r/1") == Array("grant_type=refresh_token&refresh_token=r%2F1".utf8)
        )
    }

    @Test("text is escaped as forms are: unreserved characters stay, a space is +, others have two digits each")
    func escaping() {
        let text = Self.request(scope: "/09:@AZ[`az{-._~*\n\u{E9}").content(refreshToken: nil)
        let expected = "grant_type=client_credentials&scope=%2F09%3A%40AZ%5B%60az%7B-._%7E%2A%0A%C3%A9"
        #expect(String(decoding: text, as: UTF8.self) == expected)
    }

    // MARK: Tokens

    private let world = PolicyWorld()

    private var asked: [ScriptedExchange] {
        world.origin.exchanges.filter { $0.request.uri == World.uri("/token") }
    }

    private func source(_ decode: @escaping @Sendable (String) -> TokenSource.Grant?) -> TokenSource {
        TokenSource(Self.request(), name: "api") { decode(String(decoding: $0, as: UTF8.self)) }
    }

    @Test(
        "a token is of visible ASCII characters",
        arguments: [("!~", true), ("", false), ("a b", false), ("a\u{7F}", false), ("\u{E9}", false), ("\t", false)]
    )
    func characters(token: String, isToken: Bool) {
        let receiver = world.start(credential: source { TokenSource.Grant(accessToken: $0) })
        asked.last?.answer(200, [], token)
        world.context.run()
        #expect(world.count == (isToken ? 2 : 1))
        let message = "no token for api from http://origin.example/token: the response has no bearer token"
        #expect(receiver.failure?.userMessage == (isToken ? nil : message))
    }

    @Test("an endpoint that refuses is told by its status; one that cannot be reached by what happened")
    func failures() {
        let first = world.start(credential: source { TokenSource.Grant(accessToken: $0) })
        asked.last?.answer(403, [], "abc")
        world.context.run()
        #expect(first.failure?.userMessage == "no token for api from http://origin.example/token: it answered 403")
        let second = world.start(credential: source { TokenSource.Grant(accessToken: $0) })
        asked.last?.fail(.connectionRefused)
        world.context.run()
        #expect(second.failure?.userMessage == "no token for api: scripted")
        #expect(second.failure?.kind == .connectionRefused)
    }

    @Test("the endpoint's content is granted as it comes; an answer that is too large is cancelled")
    func credit() throws {
        let receiver = world.start(credential: source { _ in nil })
        let exchange = try #require(asked.last)
        exchange.head(200, [], length: 100_000)
        exchange.content([UInt8](repeating: 0x61, count: 65_536))
        #expect(exchange.credit == OriginRequest.defaultCredit && !exchange.isCancelled)
        exchange.content([0x61])
        #expect(exchange.isCancelled)
        world.context.run()
        let message = "no token for api: the answer of the token endpoint is too large"
        #expect(receiver.failure == ExchangeFailure(.protocolError, message))
    }

    @Test("an endpoint that wants the content before the request has begun gets it, and its end, once")
    func eager() {
        let provider = EagerProvider(world.context)
        let context = CredentialContext(
            provider: provider,
            timekeeper: world.timekeeper,
            statistics: world.statistics
        )
        source { _ in nil }.credential(insteadOf: nil, context) { _ in }
        world.context.run()
        let exchange = provider.base.exchanges.first
        #expect(exchange?.sent.value == Array("grant_type=client_credentials".utf8) && exchange?.ends.value == 1)
        exchange?.wants(9)
        #expect(exchange?.ends.value == 1)
    }

    @Test("after a renewal that fails the token is used on, and the endpoint left alone for a second")
    func failedRenewal() {
        let source = source { TokenSource.Grant(accessToken: $0, expiresIn: .seconds(100)) }
        _ = world.start(credential: source)
        asked.last?.answer(200, [], "one")
        world.context.run()
        world.advance(by: .seconds(90))
        _ = world.start("/b", credential: source)
        #expect(asked.count == 2)
        asked.last?.fail(.connectionRefused)
        world.context.run()
        for (wait, count) in [(0, 2), (999, 2), (1, 3)] {
            world.advance(by: .milliseconds(wait))
            _ = world.start("/c", credential: source)
            #expect(asked.count == count)
        }
        asked.last?.answer(200, [], "two")
        world.context.run()
        _ = world.start("/d", credential: source)
        #expect(world.last.value(of: .authorization) == "Bearer two" && asked.count == 3)
    }

    @Test("without a token the endpoint is asked again a second after it failed")
    func failedFirst() {
        let source = source { TokenSource.Grant(accessToken: $0) }
        for (wait, count) in [(0, 1), (999, 1), (1, 2)] {
            world.advance(by: .milliseconds(wait))
            _ = world.start(credential: source)
            #expect(asked.count == count)
            asked.last?.fail(.connectionRefused)
            world.context.run()
        }
    }

    @Test(
        "a token that was refused before it was ever taken is replaced once it is five seconds old",
        arguments: [(4999, 1), (5000, 2)]
    )
    func young(milliseconds: Int, count: Int) {
        let source = source { TokenSource.Grant(accessToken: $0) }
        _ = world.start(credential: source)
        asked.last?.answer(200, [], "one")
        world.context.run()
        world.advance(by: .milliseconds(milliseconds))
        world.last.answer(401)
        world.context.run()
        #expect(asked.count == count)
    }

    @Test("a refresh token stays in use until the endpoint gives another one")
    func refreshTokens() throws {
        let source = source { text in
            let words = text.split(separator: " ").map(String.init)
            return TokenSource.Grant(
                accessToken: words[0],
                expiresIn: .seconds(10),
                refreshToken: words.count > 1 ? words[1] : nil
            )
        }
        var sent: [String] = []
        for answer in ["one", "two r2", "three", "four"] {
            _ = world.start(credential: source)
            let exchange = try #require(asked.last)
            exchange.wants(1000)
            sent.append(String(decoding: exchange.sent.value, as: UTF8.self))
            exchange.answer(200, [], answer)
            world.context.run()
            world.advance(by: .seconds(10))
        }
        let refreshed = "grant_type=refresh_token&refresh_token=r2"
        #expect(sent == ["grant_type=client_credentials", "grant_type=client_credentials", refreshed, refreshed])
    }
}

/// An origin that wants the content of a request before the request has begun.
private final class EagerProvider: ExchangeProvider {
    let base: ScriptedProvider

    init(_ context: ManualContext) { base = ScriptedProvider(context: context) }

    var context: any DeliveryContext { base.context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        receiver.exchangeWantsContent(1000)
        return base.start(request, receiver: receiver)
    }
}
