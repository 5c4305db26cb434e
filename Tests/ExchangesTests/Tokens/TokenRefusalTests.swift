import Exchanges
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

/// What a source does about tokens that origins refuse or accept.
@Suite("Tokens that are refused") struct TokenRefusalTests {
    private let world = PolicyWorld()

    private var context: CredentialContext {
        CredentialContext(provider: world.origin, timekeeper: world.timekeeper, statistics: world.statistics)
    }

    /// Its tokens are what the endpoint answers.
    private static func source(
        _ path: String = "/token",
        clientID: String = "me",
        scope: String = "",
        lifetime: Duration? = nil
    ) -> TokenSource {
        let request = TokenSource.Request(
            endpoint: World.uri(path),
            clientID: clientID,
            clientSecret: "s",
            scope: scope
        )
        return TokenSource(request, name: "api") { bytes in
            TokenSource.Grant(accessToken: String(decoding: bytes, as: UTF8.self), expiresIn: lifetime)
        }
    }

    /// The credential to use now; if the endpoint is asked, it answers with `token`.
    private func credential(
        _ source: TokenSource,
        insteadOf refused: Credential? = nil,
        _ token: String
    ) -> Credential? {
        let results = LockedBox<[Credential]>([])
        let asked = world.count
        source.credential(insteadOf: refused, context) { result in
            if case .success(let credential) = result { results.change { $0.append(credential) } }
        }
        world.context.run()
        if world.count > asked {
            world.last.answer(200, [], token)
            world.context.run()
        }
        return results.value.first
    }

    @Test("once a token is refused that replaced another, refusals are final for five seconds")
    func futile() throws {
        let source = Self.source()
        let first = try #require(credential(source, "one"))
        let second = try #require(credential(source, insteadOf: first, "two"))
        source.note(second, isAccepted: true, context)
        #expect(source.mayReplace(second, context))
        source.note(second, isAccepted: false, context)
        world.advance(by: .milliseconds(4999))
        #expect(!source.mayReplace(second, context))
        world.advance(by: .milliseconds(1))
        #expect(source.mayReplace(second, context))
    }

    @Test("a new token has been accepted by no origin, and what is said of an older one does not count for it")
    func older() throws {
        let source = Self.source()
        let first = try #require(credential(source, "one"))
        source.note(first, isAccepted: true, context)
        #expect(source.mayReplace(first, context))
        let second = try #require(credential(source, insteadOf: first, "two"))
        #expect(second.value == Array("Bearer two".utf8) && second.number != first.number)
        source.note(first, isAccepted: true, context)
        #expect(!source.mayReplace(second, context))
        source.note(first, isAccepted: false, context)
        source.note(second, isAccepted: true, context)
        #expect(source.mayReplace(second, context))
        // There is another one already.
        #expect(source.mayReplace(first, context))
        #expect(credential(source, insteadOf: first, "three") == second && world.count == 2)
    }

    @Test("a token that is being renewed may be replaced, however young it is")
    func renewed() throws {
        let source = Self.source(lifetime: .seconds(2))
        let first = try #require(credential(source, "one"))
        #expect(!source.mayReplace(first, context))
        world.advance(by: .milliseconds(1800))
        source.credential(insteadOf: nil, context) { _ in }
        #expect(source.mayReplace(first, context))
        // It is that renewal that others wait for.
        let second = LockedBox<Credential?>(nil)
        source.credential(insteadOf: first, context) { result in
            if case .success(let credential) = result { second.change { $0 = credential } }
        }
        world.context.run()
        #expect(world.count == 2 && second.value == nil)
        world.last.answer(200, [], "two")
        world.context.run()
        #expect(world.count == 2 && second.value?.value == Array("Bearer two".utf8))
    }

    @Test("endpoint, client and scope tell whose tokens they are, each by itself (C-20.1b)")
    func subjects() {
        func subject(_ path: String, _ clientID: String, _ scope: String) -> [UInt8] {
            Self.source(path, clientID: clientID, scope: scope).subject
        }
        let subjects = [
            subject("/token", "me", ""), subject("/token", "me", "a"), subject("/token", "m", "ea"),
            subject("/tokenme", "", "a"), subject("/other", "me", "a"),
        ]
        #expect(Set(subjects).count == subjects.count)
        #expect(subject("/token", "me", "a") == subjects[1])
    }
}
