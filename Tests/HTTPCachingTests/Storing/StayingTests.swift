import HTTPCaching
import HTTPCore
import Testing

@Suite("stored responses that may stay") struct StayingTests {
    private func stays(_ control: String, _ lines: [FieldLine] = [], status: UInt16 = 200) -> Bool {
        response(control, lines, status: status).mayStay(isShared: true, options: CachingOptions())
    }

    @Test("what selects by too many fields, or by anything, may not stay (H-117)")
    func vary() {
        func names(_ count: Int) -> String { (0..<count).map { "X-\($0)" }.joined(separator: ", ") }
        for (value, expected) in [
            ("Accept", true), (names(32), true), (names(33), false), ("*", false), ("Accept, *", false), ("a b", false),
        ] {
            #expect(stays("max-age=60", [("Vary", value)]) == expected, "\(value)")
        }
    }

    @Test("must-understand goes by the status, no-store without it by itself (C-10.3)")
    func forbidden() {
        #expect(stays("no-store, must-understand") && !stays("no-store"))
        #expect(stays("must-understand, max-age=60") && !stays("must-understand, max-age=60", status: 599))
    }

    @Test("what a rule forbids to cache may not stay, for whomever it is stored")
    func neverCache() {
        var options = CachingOptions()
        options.rules = [CachingRule(name: "r", neverCache: true)]
        for isShared in [true, false] {
            let stored = response([("Cache-Control", "max-age=60")], options: options)
            #expect(!stored.mayStay(isShared: isShared, options: options))
        }
    }

    @Test(
        "a response that sets a cookie stays as its policy lets it be stored (H-114)",
        arguments: [
            (.careful, true), (.refuse, false), (.reuse, true), (.private, false), (.strip, true),
        ] as [(SetCookiePolicy, Bool)]
    )
    func cookies(policy: SetCookiePolicy, isKeptShared: Bool) {
        var options = CachingOptions()
        options.setCookie = policy
        let stored = response([("Cache-Control", "max-age=60"), ("Set-Cookie", "a=b")], options: options)
        #expect(stored.mayStay(isShared: true, options: options) == isKeptShared)
        #expect(stored.mayStay(isShared: false, options: options) == (policy != .refuse))
        let guessed = response([("ETag", "\"a\""), ("Set-Cookie", "a=b")], options: options)
        #expect(guessed.mayStay(isShared: true, options: options) == (policy == .reuse || policy == .strip))
    }
}
