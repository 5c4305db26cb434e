import HTTPCaching
import HTTPCore
import Testing

@Suite("responses to requests with Cookie (C-17.5, C-20.1b)")
struct CookieSharingTests {
    private static let cookie: [FieldLine] = [("Cookie", "id=1")]

    private static func options(_ cookies: CookieSharing, beyondLoopback: Bool = false) -> CachingOptions {
        var options = CachingOptions()
        options.cookies = cookies
        options.isLoopbackListener = !beyondLoopback
        return options
    }

    @Test(
        "a stated lifetime without private makes a response everybody's, though the request has a Cookie (C-17.5)",
        arguments: ["max-age=60", "public", "s-maxage=60", "must-revalidate, max-age=60"]
    )
    func shared(control: String) {
        let stored = response(control, [("ETag", "\"a\"")])
        let verdict = stored.storability(for: get(Self.cookie), options: Self.options(.share))
        #expect(verdict.partition == (control == "public" ? .personal : .shared), "\(verdict)")
        let own = response("private, max-age=60").storability(for: get(Self.cookie), options: Self.options(.share))
        #expect(own == .store(.personal, .responsePrivate))
    }

    @Test(
        "kept apart, only public and s-maxage make it everybody's (C-20.1b, H-113)",
        arguments: [
            ("max-age=60", .personal), ("must-revalidate, max-age=60", .personal), ("private, max-age=60", .personal),
            ("public, max-age=60", .shared), ("s-maxage=60", .shared),
        ] as [(String, PartitionClass)]
    )
    func apart(control: String, expected: PartitionClass) {
        let options = Self.options(.partition)
        #expect(response(control).storability(for: get(Self.cookie), options: options).partition == expected)
        let both = get(Self.cookie + [("Authorization", "a")])
        #expect(response(control).storability(for: both, options: options).partition == expected)
        #expect(response("max-age=60").storability(for: get(), options: options) == .store(.shared, .shareable))
    }

    @Test(
        "by route: apart where clients come from beyond loopback and we do not stand for the origin (C-20.1b)",
        arguments: [
            (false, false, .shared), (false, true, .shared), (true, false, .personal), (true, true, .shared),
        ] as [(Bool, Bool, PartitionClass)]
    )
    func byRoute(beyondLoopback: Bool, isForOrigin: Bool, expected: PartitionClass) {
        var request = get(Self.cookie)
        request.isForOrigin = isForOrigin
        let options = Self.options(.byRoute, beyondLoopback: beyondLoopback)
        #expect(response("max-age=60").storability(for: request, options: options).partition == expected)
        #expect(CachingOptions().cookies == .byRoute)
    }

    @Test("kept apart, a response is shared while it arrives with the same cookies only (C-23.0, C-20.3)")
    func sharing() {
        let options = Self.options(.partition)
        #expect(response("max-age=60").sharing(for: get(Self.cookie), options: options) == .sameCookies)
        #expect(response("").sharing(for: get(Self.cookie), options: options) == .sameCookies)
        #expect(response("public").sharing(for: get(Self.cookie), options: options) == .everyone)
        #expect(response("max-age=60").sharing(for: get(), options: options) == .everyone)
    }

    @Test("what a Cookie means for a response is told, with the setting that would change it")
    func notes() throws {
        func note(_ control: String, _ cookies: CookieSharing, _ request: [FieldLine] = Self.cookie) -> DecisionNote? {
            response(control, [("ETag", "\"a\"")]).cookieNote(for: get(request), options: Self.options(cookies))
        }
        let shared = try #require(note("max-age=60", .byRoute))
        #expect(shared.word == "cookie-shared" && shared.remedy?.contains("cache.cookies = \"partition\"") == true)
        let apart = try #require(note("max-age=60", .partition))
        #expect(apart.word == "cookie" && apart.remedy?.contains("cache.cookies = \"share\"") == true)
        #expect(note("", .byRoute)?.sentence.contains("no lifetime is stated") == true)
        #expect(note("max-age=60", .byRoute, []) == nil && note("private", .partition) == nil)
    }
}
