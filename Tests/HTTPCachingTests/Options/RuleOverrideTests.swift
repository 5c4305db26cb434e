import HTTPCaching
import HTTPCore
import Testing

@Suite("rules that lift what the origin forbids")
struct RuleOverrideTests {
    private func options(_ rules: CachingRule...) -> CachingOptions {
        var options = CachingOptions()
        options.rules = rules
        return options
    }

    // MARK: ttl-by-status

    @Test(
        "ttl-by-status: the narrowest range with the status counts, before ttl; any status may be named (C-25.1)",
        arguments: [
            (200, 600, true), (404, 60, true), (410, 5, true), (500, 0, false), (503, 7, true), (301, 99, true),
            (302, 0, false),
        ] as [(UInt16, Int64, Bool)]
    )
    func ttlByStatus(status: UInt16, seconds: Int64, isStored: Bool) {
        let lifetimes = [
            StatusLifetime(500...599, seconds: 0), StatusLifetime(503...503, seconds: 7),
            StatusLifetime(200...200, seconds: 600), StatusLifetime(400...499, seconds: 5),
            StatusLifetime(404...404, seconds: 60),
        ]
        let options = options(CachingRule(name: "r", ttlSeconds: 99, ttlByStatus: lifetimes))
        let metadata = response(status: status, options: options)
        #expect(metadata.lifetimeSeconds == seconds)
        #expect((storability(metadata, options: options).partition != nil) == isStored)
    }

    @Test("ttl-by-status: a later rule's word for a status counts, and no rule's silence takes it back (C-25.1)")
    func ttlByStatusOrder() {
        let first = CachingRule(name: "first", ttlByStatus: [StatusLifetime(200...599, seconds: 10)])
        let second = CachingRule(name: "second", ttlSeconds: 20)
        let all = options(first, second)
        #expect(response(options: all).applied?.lifetime?.rule == "second")
        // A lifetime without statuses is for those that are heuristically cacheable.
        #expect(response(status: 503, options: all).applied?.lifetime?.rule == "first")
        #expect(response(options: options(second, first)).lifetimeSeconds == 10)
        #expect(response([("Cache-Control", "max-age=1")], options: options(first)).lifetimeSeconds == 10)
    }

    // MARK: ignore-client-no-cache

    @Test(
        "ignore-client-no-cache: a reload is a plain request, what else a request asks keeps its meaning (C-25.1)",
        arguments: [
            ("no-cache", .fresh(remainingSeconds: 50)), ("max-age=0", .fresh(remainingSeconds: 50)),
            ("no-cache, max-age=0", .fresh(remainingSeconds: 50)), ("max-age=5", .validate(.requestMaxAge)),
            ("min-fresh=55", .validate(.requestMinFresh)), ("no-cache, min-fresh=55", .validate(.requestMinFresh)),
            ("only-if-cached, max-age=5", .refuse(.requestMaxAge)),
            ("no-cache, only-if-cached", .fresh(remainingSeconds: 50)),
        ] as [(String, ServeDecision)]
    )
    func ignoreClientNoCache(text: String, decision: ServeDecision) {
        let options = options(CachingRule(name: "r", ignoresClientNoCache: true))
        let metadata = response([("Cache-Control", "max-age=60")], options: options)
        #expect(metadata.decision(for: directives(text), ageSeconds: 10) == decision)
    }

    @Test(
        "ignore-client-no-cache: Pragma, too; staleness is not excused; false takes it back; conditions count (C-25.1)"
    )
    func ignoreClientNoCacheScope() {
        let rule = CachingRule(name: "r", ignoresClientNoCache: true)
        let pragma = RequestDirectives(Fields([("Pragma", "no-cache")]))
        let metadata = response([("Cache-Control", "max-age=60")], options: options(rule))
        #expect(metadata.decision(for: pragma, ageSeconds: 0) == .fresh(remainingSeconds: 60))
        #expect(metadata.ignoresReload(pragma) && !metadata.ignoresReload(RequestDirectives()))
        #expect(metadata.decision(for: pragma, ageSeconds: 60) == .validate(.stale))
        #expect(
            metadata.staleVerdict(after: .network, for: pragma, ageSeconds: 70, options: options(rule))
                == .serve(.disconnected)
        )
        let back = options(rule, CachingRule(name: "back", ignoresClientNoCache: false))
        #expect(response([("Cache-Control", "max-age=60")], options: back).applied == nil)
        #expect(options(rule).clientNoCacheIgnoredBy?.name == "r" && back.clientNoCacheIgnoredBy == nil)
        let images = CachingRule(
            name: "images",
            contentTypes: [MediaTypePattern("image/*")].compactMap { $0 },
            ignoresClientNoCache: true
        )
        #expect(options(images).clientNoCacheIgnoredBy == nil)
        #expect(response([("Content-Type", "image/png")], options: options(images)).ignoresReload(pragma))
        #expect(!response([("Content-Type", "text/html")], options: options(images)).ignoresReload(pragma))
    }

    // MARK: cache-even

    private func even(_ prohibitions: Prohibitions, ttl: Int64? = nil) -> CachingOptions {
        options(CachingRule(name: "r", ttlSeconds: ttl, cacheEven: prohibitions))
    }

    @Test(
        "cache-even lifts what it names, and nothing else (C-25.1)",
        arguments: [
            ("no-store, max-age=60", .noStore, .store(.shared, .cacheEven)),
            ("no-store, max-age=60", [.noCache, .responsePrivate, .mustRevalidate], .refuse(.noStore)),
            ("no-cache, max-age=60", .noCache, .store(.shared, .cacheEven)),
            ("no-cache, max-age=60", .noStore, .refuse(.noCacheWithoutValidator)),
            ("private, max-age=60", .responsePrivate, .store(.personal, .cacheEven)),
            ("private, max-age=60", [.noStore, .noCache], .refuse(.privateWithoutCredential)),
            ("no-store, private, max-age=60", .noStore, .refuse(.privateWithoutCredential)),
            ("no-store, private, max-age=60", [.noStore, .responsePrivate], .store(.personal, .cacheEven)),
            // It gives no lifetime.
            ("no-store", .noStore, .refuse(.noLifetimeNoValidator)),
            ("no-store, max-age=0", .noStore, .refuse(.zeroLifetimeNoValidator)),
            ("max-age=60", [.noStore, .noCache, .responsePrivate], .store(.shared, .shareable)),
        ] as [(String, Prohibitions, Storability)]
    )
    func cacheEven(cacheControl: String, lifted: Prohibitions, expected: Storability) {
        let options = even(lifted)
        #expect(
            storability(response([("Cache-Control", cacheControl)], options: options), options: options) == expected
        )
    }

    @Test(
        "whatever is lifted, what a credential brought is that credential's (C-25.1, C-20.3, H-113)",
        arguments: [
            "no-store", "no-store, max-age=0", "no-store, public", "no-cache, max-age=60", "private",
            "no-store, s-maxage=9",
            "no-store, no-cache, must-revalidate, max-age=0", "private, no-store, max-age=60",
            "must-revalidate, max-age=60",
            "s-maxage=60",
        ]
    )
    func cacheEvenWithCredentials(cacheControl: String) {
        let options = even([.noStore, .noCache, .responsePrivate, .mustRevalidate], ttl: 60)
        for credential in [("Cookie", "a=1"), ("Authorization", "x"), ("X-Api-Key", "k")] {
            for expires in [[], [("Expires", "0")]] as [[FieldLine]] {
                let metadata = response([("Cache-Control", cacheControl)] + expires, options: options)
                let stored = storability(metadata, request: [credential], options: options)
                #expect(stored.partition == .personal, "\(credential) \(cacheControl)")
            }
        }
    }

    @Test("cache-even no-cache: reused while fresh; must-revalidate: reused stale where a window allows (C-25.1)")
    func cacheEvenReuse() {
        let lifted = even(.noCache)
        let metadata = response([("Cache-Control", "no-cache, max-age=60"), ("ETag", "\"a\"")], options: lifted)
        #expect(metadata.decision(for: RequestDirectives(), ageSeconds: 59) == .fresh(remainingSeconds: 1))
        #expect(metadata.decision(for: RequestDirectives(), ageSeconds: 60) == .validate(.stale))
        for cacheControl in ["max-age=60, must-revalidate", "max-age=60, proxy-revalidate", "s-maxage=60"] {
            func verdict(_ options: CachingOptions) -> StaleVerdict {
                response([("Cache-Control", cacheControl)], options: options)
                    .staleVerdict(after: .network, for: RequestDirectives(), ageSeconds: 70, options: options)
            }
            #expect(verdict(even(.mustRevalidate)) == .serve(.disconnected))
            #expect(verdict(even(.noStore)) != .serve(.disconnected))
            let stale = response([("Cache-Control", cacheControl)], options: even(.mustRevalidate))
            #expect(
                stale.decision(for: directives("max-stale"), ageSeconds: 70) == .staleAllowed(staleBySeconds: 10)
            )
        }
    }

    @Test("cache-even private without a credential only where all clients are one party (C-25.1)")
    func cacheEvenPrivateBeyondLoopback() {
        var options = even(.responsePrivate)
        #expect(options.keepsPrivateWithoutCredential)
        options.isLoopbackListener = false
        let metadata = response([("Cache-Control", "private, max-age=60")], options: options)
        #expect(storability(metadata, options: options) == .refuse(.privateWithoutCredential))
        #expect(!options.keepsPrivateWithoutCredential)
    }

    @Test("cache-even never shares Set-Cookie; an empty list takes an earlier rule's back (C-25.1, H-114)")
    func cacheEvenCookies() {
        let options = even([.noStore, .responsePrivate], ttl: 60)
        for text in ["no-store, max-age=60, public", "private, max-age=60"] {
            let metadata = response([("Cache-Control", text), ("Set-Cookie", "a=b")], options: options)
            #expect(storability(metadata, options: options) == .refuse(.setCookie))
        }
        var back = even(.noStore)
        back.rules.append(CachingRule(name: "back", cacheEven: []))
        #expect(
            storability(response([("Cache-Control", "no-store, max-age=9")], options: back), options: back)
                == .refuse(.noStore)
        )
    }

    @Test("a stored response that a changed rule no longer lifts may not stay (C-25.1)")
    func mayStay() {
        let lines: [FieldLine] = [("Cache-Control", "no-store, max-age=60")]
        #expect(response(lines, options: even(.noStore)).mayStay(isShared: true, options: even(.noStore)))
        #expect(!response(lines).mayStay(isShared: true, options: CachingOptions()))
        let cookie: [FieldLine] = [("Cache-Control", "max-age=60"), ("Set-Cookie", "a=b")]
        let apart = options(CachingRule(name: "r", setCookie: .private))
        #expect(!response(cookie, options: apart).mayStay(isShared: true, options: apart))
        #expect(response(cookie, options: apart).mayStay(isShared: false, options: apart))
        let refusing = options(CachingRule(name: "r", setCookie: .refuse))
        #expect(!response(cookie, options: refusing).mayStay(isShared: false, options: refusing))
        // As it may be stored: for strangers only where the origin says so.
        var careful = CachingOptions()
        careful.isLoopbackListener = false
        #expect(!response(cookie, options: careful).mayStay(isShared: true, options: careful))
        #expect(response(cookie, options: careful).mayStay(isShared: false, options: careful))
        let open: [FieldLine] = [("Cache-Control", "max-age=60, public"), ("Set-Cookie", "a=b")]
        #expect(response(open, options: careful).mayStay(isShared: true, options: careful))
    }

    // MARK: A lifetime for answers to cookies

    @Test("a rule's lifetime shares no answer to a Cookie to which the origin gave none (C-25.1, C-20.1)")
    func lifetimeWithCookie() {
        let options = options(CachingRule(name: "r", ttlSeconds: 60))
        func partition(_ lines: [FieldLine]) -> PartitionClass? {
            storability(response(lines, options: options), request: [("Cookie", "a=1")], options: options).partition
        }
        #expect(partition([("Cache-Control", "max-age=0")]) == .personal)
        #expect(partition([("Expires", "0")]) == .personal)
        #expect(partition([]) == .personal)
        #expect(partition([("Cache-Control", "max-age=5")]) == .shared)
    }

    // MARK: vary-ignore

    @Test("vary-ignore: named members select nothing; the field stays; a later rule's vary-add counts again (C-25.1)")
    func varyIgnore() {
        let rule = CachingRule(name: "r", varyIgnore: ["User-Agent".bytes, "origin".bytes])
        let lines: [FieldLine] = [("Vary", "Accept, user-agent"), ("Vary", "Origin")]
        let metadata = response(lines, options: options(rule))
        #expect(metadata.vary.names == ["accept".bytes])
        #expect(metadata.applied?.varyIgnored == ["user-agent".bytes, "origin".bytes])
        #expect(response([("Vary", "Accept")], options: options(rule)).applied == nil)
        let added = options(rule, CachingRule(name: "s", varyAdd: ["Origin".bytes]))
        #expect(response(lines, options: added).vary.names == ["accept".bytes, "origin".bytes])
        #expect(added.ignoredVaryNames == ["user-agent".bytes])
    }

    @Test("vary-ignore never makes answers of two credentials one (C-25.1, C-20.3)")
    func varyIgnoreCredentials() {
        let rule = CachingRule(
            name: "r",
            varyIgnore: ["Cookie".bytes, "Authorization".bytes, "X-Api-Key".bytes, "*".bytes]
        )
        let metadata = response([("Vary", "Cookie, Authorization, X-API-Key")], options: options(rule))
        #expect(metadata.vary.names.count == 3 && metadata.applied == nil)
        let any = response([("Vary", "*"), ("Cache-Control", "max-age=60, public")], options: options(rule))
        #expect(!any.vary.isAny && any.applied?.varyIgnored == ["*".bytes])
        #expect(storability(any, options: options(rule)) == .store(.shared, .cacheEven))
        #expect(storability(any, request: [("Cookie", "a")], options: options(rule)) == .store(.personal, .cacheEven))
    }

    // MARK: set-cookie

    @Test(
        "set-cookie: for whom a response with it is stored (C-25.1, H-114)",
        arguments: [
            (.careful, .refuse(.setCookie), .store(.shared, .shareable)),
            (.refuse, .refuse(.setCookie), .refuse(.setCookie)),
            (.reuse, .store(.shared, .shareable), .store(.shared, .shareable)),
            (.private, .refuse(.setCookie), .refuse(.setCookie)),
            (.strip, .store(.shared, .shareable), .store(.shared, .shareable)),
        ] as [(SetCookiePolicy, Storability, Storability)]
    )
    func setCookie(policy: SetCookiePolicy, withoutLifetime: Storability, withLifetime: Storability) {
        let options = options(CachingRule(name: "r", setCookie: policy))
        let cookie: [FieldLine] = [("Set-Cookie", "a=b"), ("ETag", "\"v\"")]
        let plain = response(cookie, options: options)
        let explicit = response(cookie + [("Cache-Control", "max-age=60")], options: options)
        #expect(storability(plain, options: options) == withoutLifetime)
        #expect(storability(explicit, options: options) == withLifetime)
        #expect(explicit.stripsSetCookie(options) == (policy == .strip))
        // A client with a credential is never the source of another client's answer.
        for credential in [("Cookie", "c=1"), ("Authorization", "x")] {
            let stored = storability(explicit, request: [credential], options: options)
            #expect(stored == (policy == .refuse ? .refuse(.setCookie) : .store(.personal, .setCookie)))
        }
    }

    @Test("what is stripped is no obstacle to sharing a load, any other policy is (C-25.1)")
    func setCookieSharing() {
        for policy in SetCookiePolicy.allCases {
            let options = options(CachingRule(name: "r", setCookie: policy))
            let metadata = response([("Set-Cookie", "a=b"), ("Cache-Control", "max-age=60")], options: options)
            #expect((metadata.sharing(for: get()) == .everyone) == (policy == .strip))
        }
    }

    // MARK: The key

    @Test("key-header and partition: equal keys for equal names and values only (C-25.1)")
    func keying() {
        func key(_ rules: [CachingRule], _ fields: [FieldLine]) -> [UInt8]? {
            var options = CachingOptions()
            options.rules = rules
            return options.keying.text(for: Fields(fields), credentials: CredentialFields()) { $0 }
        }
        let header = CachingRule(name: "r", keyFields: ["X-Tenant".bytes])
        let named = CachingRule(name: "n", partition: .named("a"))
        #expect(key([], [("X-Tenant", "1")]) == nil)
        let keys = [
            key([header], []), key([header], [("X-Tenant", "")]), key([header], [("x-tenant", "1")]),
            key([header], [("X-Tenant", "2")]), key([named], []), key([header, named], []),
            key([header, named], [("X-Tenant", "1")]), key([CachingRule(name: "m", partition: .named("b"))], []),
            key([header, CachingRule(name: "s", keyFields: ["X-B".bytes])], []),
        ]
        #expect(!keys.contains(nil) && Set(keys).count == keys.count)
        #expect(key([header], [("X-Tenant", "1"), ("X-Other", "2")]) == keys[2])
        #expect(
            key([header, CachingRule(name: "again", keyFields: ["x-TENANT".bytes])], [("X-Tenant", "1")]) == keys[2]
        )
        let back = [named, CachingRule(name: "back", partition: .shared)]
        #expect(key(back, []) == nil)
        let conditional = CachingRule(name: "c", statuses: [200...200], keyFields: ["a".bytes], partition: .named("x"))
        #expect(key([conditional], []) == nil)
    }

    // MARK: Words

    @Test("what a rule changed is named, with the setting's own word and the rule (C-25.1)")
    func notes() {
        let rule = CachingRule(
            name: "rule 7",
            staleIfErrorSeconds: 5,
            ignoresClientNoCache: true,
            cacheEven: [.noStore, .noCache],
            varyAdd: ["X-A".bytes],
            varyIgnore: ["Origin".bytes],
            setCookie: .strip
        )
        let lines: [FieldLine] = [("Cache-Control", "no-store, no-cache"), ("Vary", "Origin"), ("Set-Cookie", "a=b")]
        let notes = response(lines, options: options(rule)).ruleNotes(for: directives("no-cache"))
        #expect(
            notes.map(\.word) == [
                "cache-even", "stale-if-error", "vary-add", "vary-ignore", "set-cookie", "ignore-client-no-cache",
            ]
        )
        #expect(notes.allSatisfy { $0.sentence.contains("rule 7") && $0.remedy == "\($0.word) in rule 7" })
        #expect(notes[0].sentence.hasPrefix("no-store, no-cache in the response is ignored"))
        #expect(response(lines, options: options(rule)).ruleNotes(for: RequestDirectives()).count == 5)
    }

    // MARK: What rules did

    @Test("what rules did to two responses is equal only if each lifetime, window, field name and policy is")
    func equality() throws {
        var rule = CachingRule(
            name: "r",
            ttlSeconds: 60,
            staleIfErrorSeconds: 5,
            staleWhileRevalidateSeconds: 6,
            refreshAheadPercent: 7,
            varyAdd: ["Accept".bytes]
        )
        let first = try #require(response(options: options(rule)).applied)
        #expect(try #require(response(options: options(rule)).applied) == first)
        let changes: [(inout CachingRule) -> Void] = [
            { $0.name = "other" }, { $0.ttlSeconds = 61 }, { $0.staleIfErrorSeconds = 6 },
            { $0.staleWhileRevalidateSeconds = 7 }, { $0.refreshAheadPercent = 8 }, { $0.ignoresClientNoCache = true },
            { $0.neverCache = true }, { $0.varyAdd = ["Accept-Language".bytes] }, { $0.setCookie = .strip },
        ]
        let before = rule
        for (index, change) in changes.enumerated() {
            rule = before
            change(&rule)
            #expect(try #require(response(options: options(rule)).applied) != first, "change \(index)")
        }
    }
}
