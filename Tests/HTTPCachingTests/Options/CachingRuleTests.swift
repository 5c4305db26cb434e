import HTTPCaching
import HTTPCore
import Testing

@Suite("rules that change what the origin says")
struct CachingRuleTests {
    private func options(_ rules: CachingRule...) -> CachingOptions {
        var options = CachingOptions()
        options.rules = rules
        return options
    }

    private func ttl(_ seconds: Int64, statuses: [ClosedRange<UInt16>] = [], types: [String] = []) -> CachingRule {
        CachingRule(
            name: "r",
            contentTypes: types.compactMap { MediaTypePattern($0) },
            statuses: statuses,
            ttlSeconds: seconds
        )
    }

    @Test(
        "a rule's lifetime replaces what the origin gives, and is named as its source",
        arguments: [
            [], [("Cache-Control", "max-age=5")], [("Cache-Control", "s-maxage=5, max-age=7")],
            [("Expires", "0")], [("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT")], [("ETag", "\"a\"")],
        ] as [[FieldLine]]
    )
    func lifetime(lines: [FieldLine]) {
        let options = options(ttl(60))
        let metadata = response(lines, options: options)
        #expect(metadata.lifetimeSeconds == 60)
        #expect(metadata.lifetimeSource == .rule)
        #expect(metadata.applied?.lifetime?.rule == "r")
        #expect(storability(metadata, options: options) == .store(.shared, .shareable))
    }

    @Test(
        "a rule's lifetime makes nothing storable that the origin forbids to store, and leaves no-cache",
        arguments: [
            ("no-store", Storability.refuse(.noStore)), ("private", .refuse(.privateWithoutCredential)),
            ("no-cache", .refuse(.noCacheWithoutValidator)),
        ]
    )
    func prohibitions(cacheControl: String, expected: Storability) {
        let options = options(ttl(60))
        let metadata = response([("Cache-Control", cacheControl)], options: options)
        #expect(storability(metadata, options: options) == expected)
        let validated = response([("Cache-Control", "no-cache"), ("ETag", "\"a\"")], options: options)
        #expect(validated.decision(for: RequestDirectives(), ageSeconds: 0) == .validate(.noCache))
    }

    @Test(
        "a lifetime is for the statuses a rule names; without any, for those that are heuristically cacheable",
        arguments: [
            ([], 200, true), ([], 404, true), ([], 302, false), ([], 500, false), ([302...302], 302, true),
            ([500...599], 503, true), ([400...499, 200...200], 418, true), ([200...200], 404, false),
        ] as [([ClosedRange<UInt16>], UInt16, Bool)]
    )
    func statuses(statuses: [ClosedRange<UInt16>], status: UInt16, isStored: Bool) {
        let options = options(ttl(60, statuses: statuses))
        let metadata = response(status: status, options: options)
        #expect((storability(metadata, options: options).partition != nil) == isStored)
        #expect((metadata.lifetimeSource == .rule) == isStored)
    }

    @Test("of several rules that apply the last counts, each for what it says; conditions are the response's (S-042)")
    func order() {
        let json = CachingRule(
            name: "json",
            contentTypes: ["*/json", "*/*+json"].compactMap { MediaTypePattern($0) },
            ttlSeconds: 10,
            staleIfErrorSeconds: 100
        )
        let all = options(ttl(60), json, CachingRule(name: "last", staleIfErrorSeconds: 200))
        let typed = response([("Content-Type", "Application/Problem+JSON; charset=utf-8")], options: all)
        #expect(typed.lifetimeSeconds == 10 && typed.applied?.lifetime?.rule == "json")
        #expect(typed.applied?.staleIfError?.seconds == 200)
        #expect(typed.applied?.staleIfError?.rule == "last")
        #expect(response([("Content-Type", "text/json5")], options: all).lifetimeSeconds == 60)
        #expect(response(options: all).lifetimeSeconds == 60)
        #expect(response(options: options(json)).applied == nil)
    }

    @Test("what is judged by whether the origin stated a lifetime is so with a rule too (H-114, C-20.1)")
    func statedByOrigin() {
        let options = options(ttl(60))
        let cookie: [FieldLine] = [("Set-Cookie", "a=1")]
        #expect(storability(response(cookie, options: options), options: options) == .refuse(.setCookie))
        let explicit = response(cookie + [("Cache-Control", "max-age=5")], options: options)
        #expect(storability(explicit, options: options) == .store(.shared, .shareable))
        let zero = response(cookie + [("Cache-Control", "max-age=0")], options: options)
        #expect(storability(zero, options: options) == .refuse(.setCookie))
        #expect(
            storability(response(options: options), request: [("Cookie", "a=1")], options: options)
                == .store(.personal, .cookie)
        )
    }

    @Test("the age counts against a rule's lifetime as against any")
    func age() {
        let metadata = response([("Age", "50")], options: options(ttl(60)))
        #expect(metadata.isFresh(ageSeconds: metadata.currentAgeSeconds(sinceReceipt: 9)))
        #expect(!metadata.isFresh(ageSeconds: metadata.currentAgeSeconds(sinceReceipt: 10)))
    }

    @Test("refresh-ahead counts the lifetime that was left on receipt; the last rule decides, and 0 cancels")
    func refreshAhead() {
        func ahead(_ lines: [FieldLine], _ percents: Int64..., remaining: Int64) -> Bool {
            var options = CachingOptions()
            options.rules = percents.map { CachingRule(name: "r", refreshAheadPercent: $0) }
            return response(lines, options: options).isRefreshedAhead(remainingSeconds: remaining)
        }
        let fields = [("Cache-Control", "max-age=100")]
        #expect(ahead(fields, 10, remaining: 10) && !ahead(fields, 10, remaining: 11))
        #expect(ahead(fields + [("Age", "80")], 10, remaining: 2) && !ahead(fields + [("Age", "80")], 10, remaining: 3))
        #expect(ahead(fields, 10, 50, remaining: 50) && !ahead(fields, 50, 10, remaining: 50))
        #expect(!ahead(fields, 10, 0, remaining: 1) && !ahead(fields, remaining: 1))
        #expect(!ahead([("Cache-Control", "max-age=0")], 90, remaining: 1))
        // Percents are 1 to 99; others cancel, too.
        #expect(ahead(fields, 1, remaining: 1) && !ahead(fields, 1, remaining: 2))
        #expect(ahead(fields, 99, remaining: 99) && !ahead(fields, 99, remaining: 100))
        for percent in [100, -1] as [Int64] { #expect(!ahead(fields, 10, percent, remaining: 1), "\(percent)") }
    }

    @Test("a window for errors is as if the origin had given it, and names the rule")
    func staleIfError() {
        let options = options(CachingRule(name: "r", staleIfErrorSeconds: 100))
        func verdict(_ cacheControl: String, age: Int64, after failure: LoadFailure) -> StaleVerdict {
            response([("Cache-Control", cacheControl)], options: options)
                .staleVerdict(after: failure, for: RequestDirectives(), ageSeconds: age, options: options)
        }
        #expect(verdict("max-age=10", age: 50, after: .status(503)) == .serve(.rule))
        #expect(verdict("max-age=10", age: 110, after: .status(503)) == .refuse(.windowExceeded))
        #expect(verdict("max-age=10", age: 110, after: .network) == .refuse(.windowExceeded))
        #expect(verdict("s-maxage=10", age: 50, after: .network) == .serve(.rule))
        #expect(verdict("max-age=10, stale-if-error=5", age: 50, after: .network) == .serve(.rule))
        #expect(verdict("max-age=10, must-revalidate", age: 50, after: .network) == .refuse(.mustRevalidate))
        #expect(verdict("max-age=10", age: 50, after: .status(404)) == .refuse(.statusNotCovered))
    }

    @Test("a response without lifetime and validator is stored for its windows, where a rule gives any")
    func storedForWindows() {
        for rule in [
            CachingRule(name: "r", staleIfErrorSeconds: 5), CachingRule(name: "r", staleWhileRevalidateSeconds: 5),
        ] {
            let options = options(rule)
            #expect(storability(response(options: options), options: options) == .store(.shared, .shareable))
            #expect(
                storability(response(status: 302, options: options), options: options) == .refuse(.statusNotCacheable)
            )
        }
        let none = options(CachingRule(name: "r", staleIfErrorSeconds: 0))
        #expect(storability(response(options: none), options: none) == .refuse(.noLifetimeNoValidator))
    }

    @Test("a window for validation in the background replaces the origin's")
    func staleWhileRevalidate() {
        let options = options(CachingRule(name: "r", staleWhileRevalidateSeconds: 30))
        let metadata = response([("Cache-Control", "max-age=10, stale-while-revalidate=1")], options: options)
        #expect(
            metadata.decision(for: RequestDirectives(), ageSeconds: 39) == .staleWhileRevalidate(staleBySeconds: 29)
        )
        #expect(metadata.decision(for: RequestDirectives(), ageSeconds: 40) == .validate(.stale))
        #expect(metadata.applied?.staleWhileRevalidate?.rule == "r")
    }

    @Test("never-cache with a condition: not stored, and for nobody but the request that brought it")
    func neverCache() {
        let rule = CachingRule(name: "r", statuses: [200...200], neverCache: true)
        let options = options(rule)
        let metadata = response([("Cache-Control", "max-age=60")], options: options)
        #expect(metadata.isNeverCached && metadata.applied?.neverCachedBy == "r")
        #expect(storability(metadata, options: options) == .refuse(.neverCache))
        #expect(metadata.sharing(for: get()) == .leaderOnly(.neverCache))
        #expect(!response([("Cache-Control", "max-age=60")], status: 404, options: options).isNeverCached)
        #expect(options.neverCachedBy == nil)
    }

    @Test("never-cache is known before any response only where no later rule with a condition takes it back")
    func neverCacheAtAll() {
        let never = CachingRule(name: "all", neverCache: true)
        let some = CachingRule(name: "some", statuses: [404...404], neverCache: true)
        let not = CachingRule(name: "not", statuses: [200...200], neverCache: false)
        let back = CachingRule(name: "back", neverCache: false)
        #expect(options(never).neverCachedBy?.name == "all")
        #expect(options(never, some).neverCachedBy?.name == "all")
        #expect(options(never, not).neverCachedBy == nil)
        #expect(options(never, back).neverCachedBy == nil)
        #expect(options(not, never).neverCachedBy?.name == "all")
        #expect(!response(options: options(never, not)).isNeverCached)
        #expect(response(status: 404, options: options(never, not)).isNeverCached)
    }

    @Test("names added to Vary select, whatever the origin's Vary; the field stays as it is")
    func varyAdd() {
        let options = options(CachingRule(name: "r", varyAdd: ["X-Tenant".bytes, "accept".bytes]))
        let metadata = response([("Vary", "Accept")], options: options)
        #expect(metadata.vary.names == ["accept".bytes, "x-tenant".bytes])
        #expect(metadata.applied?.varyAddedBy == ["r"])
        func key(_ tenant: String) -> [UInt8] {
            metadata.vary.selectionKey(for: Fields([("X-Tenant", tenant)]), credentials: CredentialFields()) { $0 }
        }
        #expect(key("1") != key("2"))
        #expect(metadata.vary.isSelectionKey(key("1")))
        #expect(!response([("Vary", "Accept")]).vary.isSelectionKey(key("1")))
        #expect(!metadata.vary.isSelectionKey([]) && response().vary.isSelectionKey([]))
        #expect(response([("Vary", "*")], options: options).vary.isAny)
    }

    @Test("what is no selection key is none, whatever its bytes")
    func hostileKeys() {
        let vary = response([("Vary", "Accept")]).vary
        let key = vary.selectionKey(for: Fields([("Accept", "a/b")]), credentials: CredentialFields()) { $0 }
        #expect(vary.isSelectionKey(key))
        for end in key.indices { #expect(!vary.isSelectionKey(Array(key[..<end]))) }
        #expect(!vary.isSelectionKey(key + [0]))
        #expect(!vary.isSelectionKey([0xFF, 0xFF, 0xFF, 0xFF, 0]))
    }

    @Test("seconds out of range are clamped")
    func clamped() {
        #expect(response(options: options(ttl(.max))).lifetimeSeconds == DeltaSeconds.limit)
        #expect(response(options: options(ttl(-5))).lifetimeSeconds == 0)
    }
}
