import HTTPCaching
import HTTPCore
import Testing

@Suite("Cache-Control and its targeted forms (RFC 9111 §5.2, RFC 9213)")
struct CacheControlTests {
    @Test(
        "directive names are read in any case, unknown ones are skipped (C-1.4, C-6.2)",
        arguments: [
            "No-StOrE", "foo, NO-STORE", "no-store, bar=\"baz\"", " ,, no-store ,", "no-store=1", "a=b\t,\tno-store",
        ]
    )
    func names(text: String) {
        #expect(CacheControl(parsing: text.bytes).flags == .noStore)
    }

    @Test(
        "text inside a quoted argument is never a directive (C-2.1, H-112)",
        arguments: [
            "foo=\"no-store\", max-age=60", "max-age=60, foo=\"bar, no-store, baz\"",
            "foo=\"a\\\", no-store\", max-age=60",
        ]
    )
    func quotedText(text: String) {
        let control = CacheControl(parsing: text.bytes)
        #expect(control.flags.isEmpty)
        #expect(control.maxAgeSeconds == 60)
    }

    @Test("an argument quoted around max-age grants nothing (C-2.1)")
    func quotedMaxAge() {
        #expect(CacheControl(parsing: "foo=\"bar, max-age=60\"".bytes).maxAgeSeconds == nil)
        #expect(CacheControl(parsing: "foo=\"max-age=1\", max-age=60".bytes).maxAgeSeconds == 60)
    }

    @Test("several lines are one list (C-2.1)")
    func lines() {
        let control = CacheControl(Fields([("Cache-Control", "public"), ("cache-control", "max-age=60")]))
        #expect(control.flags == .isPublic)
        #expect(control.maxAgeSeconds == 60)
    }

    @Test("a quoted string that does not end hides nothing to its advantage (H-112)")
    func unterminatedString() {
        let control = CacheControl(parsing: "max-age=60, foo=\"bar, no-store".bytes)
        #expect(control.flags.contains(.noCache))
    }

    @Test("leading zeros are fine (C-2.2)")
    func leadingZeros() { #expect(CacheControl(parsing: "max-age=003600".bytes).maxAgeSeconds == 3600) }

    @Test(
        "the first of two counts, quoted equals plain, blanks around = make it none (C-21.1)",
        arguments: [
            ("max-age=60, max-age=1", 60), ("max-age=1, max-age=60", 1), ("max-age=\"60\"", 60), ("max-age =60", nil),
            ("max-age= 60", nil), ("max-age = 60", nil), ("max-age=x, max-age=60", 0),
        ] as [(String, Int64?)]
    )
    func maxAgeForms(text: String, seconds: Int64?) {
        #expect(CacheControl(parsing: text.bytes).maxAgeSeconds == seconds)
    }

    @Test("every directive without argument is known")
    func flags() {
        let text =
            "no-store, no-cache, private, public, must-revalidate, proxy-revalidate, must-understand, "
            + "no-transform, immutable"
        let all: CacheControl.Flags = [
            .noStore, .noCache, .isPrivate, .isPublic, .mustRevalidate, .proxyRevalidate, .mustUnderstand, .noTransform,
            .immutable,
        ]
        #expect(CacheControl(parsing: text.bytes).flags == all)
    }

    @Test("each directive without argument sets a flag of its own, and no other")
    func ownFlags() {
        let flags: [(name: String, flag: CacheControl.Flags)] = [
            ("no-store", .noStore), ("no-cache", .noCache), ("private", .isPrivate), ("public", .isPublic),
            ("must-revalidate", .mustRevalidate), ("proxy-revalidate", .proxyRevalidate),
            ("must-understand", .mustUnderstand), ("no-transform", .noTransform), ("immutable", .immutable),
        ]
        for (name, _) in flags {
            let control = CacheControl(parsing: name.bytes)
            #expect(flags.filter { control.flags.contains($0.flag) }.map(\.name) == [name])
        }
    }

    @Test("private and no-cache with names are about those fields (C-20.4)")
    func qualified() {
        let control = CacheControl(parsing: "private=\"X-User, Set-Cookie\", no-cache=x-token".bytes)
        #expect(control.flags.isEmpty)
        #expect(control.privateFields == ["x-user".bytes, "set-cookie".bytes])
        #expect(control.noCacheFields == ["x-token".bytes])
    }

    @Test(
        "names that are none, or that give the content its meaning, make it the unqualified form (C-20.4)",
        arguments: ["private=\"\"", "private=", "private=\"@\"", "private=\"Content-Type\"", "private=\"x, vary\""]
    )
    func requalified(text: String) { #expect(CacheControl(parsing: text.bytes).flags == .isPrivate) }

    // MARK: Targeted fields

    private static let origin: CachingOptions = {
        var options = CachingOptions()
        options.targetedFields = CachingOptions.originTargetedFields
        return options
    }()

    private func lifetime(_ targeted: String, _ lines: [FieldLine] = []) -> Int64? {
        let stored = response([("CDN-Cache-Control", targeted)] + lines, options: Self.origin)
        return stored.lifetimeSource.isExplicit ? stored.lifetimeSeconds : nil
    }

    @Test(
        "a targeted field replaces Cache-Control and Expires entirely (C-18.1, C-18.2)",
        arguments: [
            [("Cache-Control", "no-store")], [("Cache-Control", "max-age=1")], [("Expires", date(-100))],
            [("Expires", "0")], [("Cache-Control", "private, no-cache"), ("Expires", date(5))],
        ] as [[FieldLine]]
    )
    func targetedReplaces(lines: [FieldLine]) {
        let stored = response([("CDN-Cache-Control", "max-age=3600, foo")] + lines, options: Self.origin)
        #expect(stored.targetedField == .cdnCacheControl)
        #expect(stored.lifetimeSeconds == 3600)
        #expect(storability(stored, options: Self.origin) == .store(.shared, .shareable))
    }

    @Test("with a targeted field that states no lifetime, Expires states none either (C-18.1)")
    func targetedWithoutLifetime() {
        #expect(lifetime("must-revalidate", [("Expires", date(100)), ("Cache-Control", "max-age=5")]) == nil)
    }

    @Test(
        "a targeted field restricts what Cache-Control allows (C-18.3)",
        arguments: [
            ("no-store", .noStore), ("no-cache", .noCacheWithoutValidator),
            ("private, max-age=60", .privateWithoutCredential),
            ("max-age=0", .zeroLifetimeNoValidator),
        ] as [(String, RefusalReason)]
    )
    func targetedRestricts(text: String, reason: RefusalReason) {
        let lines = [("CDN-Cache-Control", text), ("Cache-Control", "max-age=3600"), ("Expires", date(1000))]
        #expect(storability(response(lines, options: Self.origin), options: Self.origin) == .refuse(reason))
    }

    @Test("a targeted max-age of 1 overrides a generous Cache-Control (C-18.3)")
    func targetedShort() { #expect(lifetime("max-age=1", [("Cache-Control", "max-age=10000")]) == 1) }

    @Test("Age counts, and numbers beyond 32 bits saturate (C-18.4)")
    func targetedNumbers() {
        #expect(lifetime("max-age=99999999999") == DeltaSeconds.limit)
        #expect(lifetime("max-age=-1") == 0)
        let stored = response([("CDN-Cache-Control", "max-age=60"), ("Age", "61")], options: Self.origin)
        #expect(!isFreshOnArrival(stored))
    }

    @Test(
        "a syntax error, a key in upper case or a wrong type discards the field (C-18.5, C-21.9)",
        arguments: [
            "max-age=10000, &&&&&", "max-age=\"10000\"", "max-age=10000,", "max-age=1.5", "Max-Age=10000", "max-age=",
            "max-age = 10000", "max-age=10000 foo", "max-age=1000000000000000", "", "no-store=1, max-age=10000",
            "max-age=10000, a=\"b", "max-age=10000, a=(b", "max-age=10000;", "max-age=10000, a=?2",
            "max-age=10000, a=:é:",
        ]
    )
    func targetedInvalid(text: String) { #expect(lifetime(text, [("Cache-Control", "max-age=5")]) == 5) }

    @Test(
        "the whole syntax of dictionaries is read (C-18.1)",
        arguments: [
            "max-age=10000;foo;bar=\"x\\\"y\"", "a=:Zm9v:, b=?0, c=@1659578233, d=%\"f%c3%bc\", max-age=10000",
            "a=(\"x\" y;z 1.5), max-age=10000", "  max-age=10000\t,\t*b=*tok/en:x  ", "max-age=1, max-age=10000",
        ]
    )
    func targetedSyntax(text: String) { #expect(lifetime(text, [("Cache-Control", "max-age=5")]) == 10000) }

    @Test("false means absent, and names come as text, token or list (C-18.1)")
    func targetedValues() {
        #expect(CacheControl(targeted: "no-store=?0, max-age=5".bytes)?.flags.isEmpty == true)
        #expect(CacheControl(targeted: "private=\"X-A, X-B\"".bytes)?.privateFields == ["x-a".bytes, "x-b".bytes])
        #expect(CacheControl(targeted: "no-cache=(X-A \"X-B\")".bytes)?.noCacheFields == ["x-a".bytes, "x-b".bytes])
    }

    @Test("a targeted no-cache or private that names a field every reuse needs counts as unqualified")
    func targetedIndispensable() {
        #expect(CacheControl(targeted: "no-cache=(content-type)".bytes)?.flags == .noCache)
        #expect(CacheControl(targeted: "private=\"X-A, Vary\"".bytes)?.flags == .isPrivate)
        #expect(CacheControl(targeted: "no-cache=(X-A), private=X-B".bytes)?.flags.isEmpty == true)
    }

    @Test("CDN-Cache-Control counts only where it is switched on, Respite-Cache-Control everywhere and first (C-18.6)")
    func targetedList() {
        let lines = [("CDN-Cache-Control", "max-age=20"), ("Cache-Control", "max-age=10")]
        #expect(response(lines).lifetimeSeconds == 10)
        #expect(response(lines, options: Self.origin).lifetimeSeconds == 20)
        let own = [("Respite-Cache-Control", "max-age=30")] + lines
        #expect(response(own).lifetimeSeconds == 30)
        #expect(response(own, options: Self.origin).lifetimeSeconds == 30)
        let invalid = [("Respite-Cache-Control", "max-age=x")] + lines
        #expect(response(invalid, options: Self.origin).lifetimeSeconds == 20)
    }

    // MARK: Requests

    @Test("the request's directives are read (C-21.4)")
    func requestDirectives() {
        let read = directives(
            "no-store, No-Cache, only-if-cached, no-transform, max-age=1, min-fresh=2, max-stale=3, stale-if-error=4, x"
        )
        #expect(read.noStore && read.noCache && read.onlyIfCached && read.noTransform)
        #expect(read.maxAgeSeconds == 1)
        #expect(read.minFreshSeconds == 2)
        #expect(read.maxStaleSeconds == 3)
        #expect(read.staleIfErrorSeconds == 4)
    }

    @Test("the request's Cache-Control is a list over several lines, unknown members are ignored (C-0.2)")
    func requestLines() {
        let fields = Fields([("Cache-Control", "foo=\"no-store\""), ("Cache-Control", "max-stale, bar")])
        let read = RequestDirectives(fields)
        #expect(!read.noStore)
        #expect(read.maxStaleSeconds == DeltaSeconds.limit)
    }

    @Test("a malformed max-stale allows nothing, a malformed max-age asks for validation (C-21.4)")
    func malformedRequest() {
        #expect(directives("max-stale=x").maxStaleSeconds == nil)
        #expect(directives("max-age=x").maxAgeSeconds == 0 && directives("max-age").maxAgeSeconds == 0)
        #expect(directives("min-fresh=x").minFreshSeconds == nil && directives("min-fresh").minFreshSeconds == nil)
        #expect(directives("stale-if-error=-1").staleIfErrorSeconds == nil)
    }

    @Test("of two directives with one name the first counts, in requests and responses (C-21.1)")
    func first() {
        let asked = directives(
            "max-age=1, max-age=5, min-fresh=2, min-fresh=5, max-stale=3, max-stale, stale-if-error=4, stale-if-error=5"
        )
        #expect(asked.maxAgeSeconds == 1 && asked.minFreshSeconds == 2)
        #expect(asked.maxStaleSeconds == 3 && asked.staleIfErrorSeconds == 4)
        #expect(directives("max-stale, max-stale=3").maxStaleSeconds == DeltaSeconds.limit)
        let windows = "stale-while-revalidate=2, stale-while-revalidate=5, stale-if-error=3, stale-if-error=5"
        let stored = CacheControl(parsing: "s-maxage=1, s-maxage=5, \(windows)".bytes)
        #expect(stored.sMaxAgeSeconds == 1 && stored.maxAgeSeconds == nil)
        #expect(stored.staleWhileRevalidateSeconds == 2 && stored.staleIfErrorSeconds == 3)
        let malformed = CacheControl(parsing: "s-maxage=x, stale-while-revalidate, stale-if-error=".bytes)
        #expect(malformed.sMaxAgeSeconds == 0 && malformed.staleWhileRevalidateSeconds == 0)
        #expect(malformed.staleIfErrorSeconds == 0)
    }

    @Test("Pragma: no-cache counts only without Cache-Control, other pragmas never (C-21.4, C-0.2)")
    func pragma() {
        #expect(RequestDirectives(Fields([("Pragma", "no-cache")])).noCache)
        #expect(RequestDirectives(Fields([("Pragma", "foo, No-Cache")])).noCache)
        #expect(!RequestDirectives(Fields([("Pragma", "foo=no-cache")])).noCache)
        #expect(!RequestDirectives(Fields([("Pragma", "no-cache"), ("Cache-Control", "foo")])).noCache)
    }

    @Test("Pragma in a response means nothing (C-21.4)")
    func responsePragma() {
        #expect(storability(response("max-age=60", [("Pragma", "no-cache")])) == .store(.shared, .shareable))
    }

    @Test("a request that asks nothing has no directives")
    func nothingAsked() {
        #expect(RequestDirectives(Fields([("Accept", "*/*"), ("Host", "a")])) == RequestDirectives())
    }

    @Test("conditions and ranges are told apart")
    func conditionsAndRanges() {
        #expect(RequestDirectives(Fields([("If-None-Match", "*")])).hasCondition)
        #expect(RequestDirectives(Fields([("If-Match", "*")])).hasOriginCondition)
        #expect(RequestDirectives(Fields([("Range", "bytes=0-")])).hasRange)
    }
}
