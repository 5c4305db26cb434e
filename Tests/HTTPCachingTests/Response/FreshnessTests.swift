import HTTPCaching
import HTTPCore
import Testing

@Suite("freshness lifetime and age (RFC 9111 §4.2)")
struct FreshnessTests {
    @Test(
        "a response is fresh while its lifetime is greater than its age (C-1.1)",
        arguments: [(59, true), (60, false), (61, false)]
    )
    func strictlyGreater(age: Int64, isFresh: Bool) {
        let stored = response("max-age=60")
        #expect(stored.isFresh(ageSeconds: stored.currentAgeSeconds(sinceReceipt: age)) == isFresh)
        #expect(stored.ttlSeconds(ageSeconds: age) == 60 - age)
    }

    @Test(
        "the lifetime comes from s-maxage, else max-age, else Expires, else the heuristic (C-1.1, C-1.2, C-1.3)",
        arguments: [
            ([("Cache-Control", "max-age=10, s-maxage=20")], 20, .sMaxAge),
            ([("Cache-Control", "s-maxage=20, max-age=100")], 20, .sMaxAge),
            (
                [("Cache-Control", "max-age=0"), ("Cache-Control", "s-maxage=20"), ("Expires", date(-100))], 20,
                .sMaxAge
            ),
            ([("Cache-Control", "max-age=10"), ("Expires", date(100))], 10, .maxAge),
            ([("Cache-Control", "max-age=10"), ("Expires", date(-100))], 10, .maxAge),
            ([("Cache-Control", "max-age=10"), ("Expires", "0")], 10, .maxAge),
            ([("Expires", date(100)), ("Date", date(0))], 100, .expires),
            ([("Expires", date(100)), ("Last-Modified", date(-1000))], 100, .expires),
            ([("Last-Modified", date(-1000))], 100, .heuristic),
            ([], 0, .none),
        ] as [([FieldLine], Int64, LifetimeSource)]
    )
    func lifetimeSources(lines: [FieldLine], seconds: Int64, source: LifetimeSource) {
        let stored = response(lines)
        #expect(stored.lifetimeSeconds == seconds)
        #expect(stored.lifetimeSource == source)
    }

    @Test(
        "dates are those the fields have, were they centuries from the receipt",
        arguments: [
            0, -1000, 2_147_483_647, 2_147_483_648, -2_147_483_647, -2_147_483_648, -2_147_483_649, 100_000_000_000,
            -30_000_000_000,
        ] as [Int64]
    )
    func farDates(seconds: Int64) {
        let moment = HTTPDate(seconds: receipt.seconds + seconds)
        let stored = response([("Date", date(seconds)), ("Last-Modified", date(0))])
        #expect(stored.date == moment && stored.hasDate && stored.lastModified == receipt)
        let modified = response([("Last-Modified", date(seconds))])
        #expect(modified.date == receipt && !modified.hasDate && modified.lastModified == moment)
        #expect(modified.lastModifiedBytes == date(seconds).bytes)
        // One far, both, and both a second apart.
        let both = response([("Date", date(seconds)), ("Last-Modified", date(seconds))])
        #expect(both.date == moment && both.lastModified == moment)
        #expect(both == response([("Date", date(seconds)), ("Last-Modified", date(seconds))]))
        #expect(both != response([("Date", date(seconds + 1)), ("Last-Modified", date(seconds))]))
        #expect(both != response([("Date", date(seconds)), ("Last-Modified", date(seconds + 1))]))
        let spelled = "Sunday, 06-Nov-94 08:49:37 GMT"
        let old = response([("Date", date(seconds)), ("Last-Modified", spelled)])
        #expect(old.date == moment && old.lastModified == HTTPDate(seconds: 784_111_777))
        #expect(old.lastModifiedBytes == spelled.bytes)
        let plain = response()
        #expect(plain.date == receipt && plain.lastModified == nil && plain.lastModifiedBytes == nil)
    }

    @Test(
        "numbers saturate and mean very long (C-1.5, H-118)",
        arguments: ["2147483647", "2147483648", "2147483649", "99999999999", "99999999999999999999999999"]
    )
    func saturation(number: String) {
        let stored = response("max-age=\(number)")
        #expect(stored.lifetimeSeconds >= 2_147_483_647)
        #expect(isFreshOnArrival(stored))
        let aged = response("max-age=\(number)", [("Age", number)])
        #expect(aged.currentAgeSeconds(sinceReceipt: .max) >= 0)
    }

    @Test(
        "a malformed lifetime counts as 0 (C-1.6, C-2.3, C-21.1, H-118)",
        arguments: [
            "max-age=-3600", "max-age='3600'", "max-age=0.5", "max-age=a100", "max-age=100a", "max-age=", "max-age",
            "max-age=\"a\"", "max-age=\"60", "max-age=\"60\"x", "s-maxage=x, max-age=60", "max-age=+60",
        ]
    )
    func malformedLifetime(text: String) {
        let stored = response(text, [("Expires", date(1000))])
        #expect(stored.lifetimeSeconds == 0)
        #expect(stored.lifetimeSource.isExplicit)
    }

    @Test("the received Age counts into the age (C-1.7)")
    func receivedAge() {
        #expect(!isFreshOnArrival(response("max-age=3600", [("Age", "7200")])))
        #expect(isFreshOnArrival(response("max-age=3600", [("Age", "3599")])))
    }

    @Test(
        "the first member of the first Age line counts (C-3.1)",
        arguments: [
            (["7200, 0"], 7200), (["7200", "0"], 7200), (["0, 7200"], 0), (["0", "7200"], 0), (["5, 5"], 5),
            (["  12  "], 12), (["007"], 7),
        ] as [([String], Int64)]
    )
    func ageMembers(lines: [String], seconds: Int64) {
        #expect(response(lines.map { ("Age", $0) }).ageAtReceiptSeconds == seconds)
    }

    @Test(
        "an Age that is no number is ignored (C-3.2, C-21.1)",
        arguments: ["-7200", "7200.0", "10;x=y", "", "a", "1 0", "\"5\""]
    )
    func invalidAge(text: String) {
        #expect(response([("Age", text)]).ageAtReceiptSeconds == 0)
    }

    @Test("a large Age saturates and means old (C-3.3, H-119)", arguments: ["2147483648", "999999999999999999999999"])
    func largeAge(text: String) {
        #expect(!isFreshOnArrival(response("max-age=99999999999", [("Age", text)])))
    }

    @Test(
        "the lifetime by Expires is Expires minus Date, both of the origin's clock (C-4.1)",
        arguments: [(400, 300, false), (0, 0, false), (0, 1, true), (400, 500, true), (-10, 5, true)]
    )
    func expiresMinusDate(dateOffset: Int64, expiresOffset: Int64, isFresh: Bool) {
        let stored = response([("Date", date(dateOffset)), ("Expires", date(expiresOffset))])
        #expect(stored.lifetimeSeconds == max(0, expiresOffset - dateOffset))
        #expect(isFreshOnArrival(stored) == isFresh)
    }

    @Test(
        "an Expires that is no date is in the past (C-4.2, C-5.4, H-120)",
        arguments: [["0"], ["-1"], ["never"], [date(100), date(100)], ["Thu, 32 Jan 2050 00:00:00 GMT"]]
    )
    func invalidExpires(lines: [String]) {
        let stored = response(lines.map { ("Expires", $0) } + [("Last-Modified", date(-1000))])
        #expect(stored.lifetimeSource == .expires)
        #expect(stored.lifetimeSeconds == 0)
    }

    @Test(
        "without a valid Date the time of receipt takes its place (C-4.3)",
        arguments: [[], [("Date", "today")]] as [[FieldLine]]
    )
    func missingDate(lines: [FieldLine]) {
        let stored = response(lines + [("Expires", date(60))])
        #expect(stored.date == receipt)
        #expect(!stored.hasDate)
        #expect(stored.lifetimeSeconds == 60)
    }

    @Test(
        "the age is the larger of what Date and Age tell (C-4.4)",
        arguments: [
            (10, 20, "15", 15, false), (-10, 10, "25", 25, false), (-10, 10, "0", 10, true), (10, 20, "0", 0, true),
        ]
            as [(Int64, Int64, String, Int64, Bool)]
    )
    func apparentAge(dateOffset: Int64, expires: Int64, age: String, expected: Int64, isFresh: Bool) {
        let stored = response([("Date", date(dateOffset)), ("Expires", date(expires)), ("Age", age)])
        #expect(stored.ageAtReceiptSeconds == expected)
        #expect(isFreshOnArrival(stored) == isFresh)
    }

    @Test("the delay of the response counts beside the received Age (C-4.4)")
    func responseDelay() {
        #expect(response([("Age", "5")], delay: 3).ageAtReceiptSeconds == 8)
        #expect(response([], delay: 3).ageAtReceiptSeconds == 3)
    }

    @Test("far dates are very long lifetimes (C-5.2)")
    func farExpires() {
        let stored = response([("Date", date(0)), ("Expires", "Fri, 31 Dec 9999 23:59:59 GMT")])
        #expect(stored.lifetimeSeconds == DeltaSeconds.limit)
    }

    @Test("the age is the received one plus the time in store (C-17.2)")
    func ageInStore() {
        #expect(response([("Age", "30")]).currentAgeSeconds(sinceReceipt: 3) == 33)
        #expect(response([("Age", "30")]).currentAgeSeconds(at: HTTPDate(seconds: receipt.seconds + 3)) == 33)
    }

    @Test("a clock set back makes nothing younger than on arrival")
    func clockSetBack() {
        #expect(response([("Age", "30")]).currentAgeSeconds(at: HTTPDate(seconds: receipt.seconds - 100)) == 30)
        #expect(response([("Age", "30")]).currentAgeSeconds(at: HTTPDate(seconds: .min)) == 30)
    }

    @Test(
        "the heuristic is a tenth of the time since Last-Modified, capped, without minimum (C-8.1, C-21.3)",
        arguments: [(9, 0), (10, 1), (1000, 100), (864_000, 86400), (8_640_000, 86400)] as [(Int64, Int64)]
    )
    func heuristic(unchanged: Int64, lifetime: Int64) {
        #expect(response([("Date", date(0)), ("Last-Modified", date(-unchanged))]).lifetimeSeconds == lifetime)
    }

    @Test(
        "the part of that time and the longest lifetime are settings; a part is from 0 to 1 (C-8.1)",
        arguments: [
            (0.5, 86400, 500), (1, 86400, 1000), (2, 86400, 1000), (0, 86400, 0), (-1, 86400, 0), (0.5, 499, 499),
            (0.5, 0, 0), (0.5, -1, 0),
        ] as [(Double, Int64, Int64)]
    )
    func heuristicSettings(fraction: Double, limit: Int64, lifetime: Int64) {
        var options = CachingOptions()
        options.heuristicFraction = fraction
        options.heuristicLimitSeconds = limit
        let stored = response([("Date", date(0)), ("Last-Modified", date(-1000))], options: options)
        #expect(stored.lifetimeSeconds == lifetime && stored.lifetimeSource == .heuristic)
    }

    @Test(
        "an origin controls reuse by a lifetime, a validator or a directive",
        arguments: [
            ([], false), ([("X", "y")], false), ([("Vary", "Accept")], false), ([("Expires", "0")], true),
            ([("Cache-Control", "x")], false), ([("Cache-Control", "max-age=0")], true),
            ([("Cache-Control", "public")], true), ([("Cache-Control", "private=x")], true),
            ([("Cache-Control", "stale-if-error=1")], true), ([("ETag", "\"a\"")], true),
            ([("Last-Modified", date(-10))], true),
        ] as [([FieldLine], Bool)]
    )
    func saysAnything(lines: [FieldLine], expected: Bool) {
        #expect(response(lines).saysAnythingAboutCaching == expected)
        var options = CachingOptions()
        options.rules = [CachingRule(name: "r", cacheEven: [.noStore])]
        #expect(response(lines + [("Cache-Control", "no-store")], options: options).saysAnythingAboutCaching)
    }

    @Test("the heuristic goes by the origin's Date, and a modification after it gives nothing (C-8.1)")
    func heuristicClock() {
        #expect(response([("Date", date(-500)), ("Last-Modified", date(-1500))]).lifetimeSeconds == 100)
        #expect(response([("Date", date(0)), ("Last-Modified", date(10))]).lifetimeSeconds == 0)
    }

    @Test(
        "the heuristic is for certain statuses, and for any with public (C-8.2, C-8.3)",
        arguments: [
            (200, "", true), (203, "", true), (204, "", true), (300, "", true), (301, "", true), (308, "", true),
            (404, "", true), (405, "", true), (410, "", true), (414, "", true), (501, "", true), (201, "", false),
            (302, "", false), (403, "", false), (500, "", false), (503, "", false), (599, "", false),
            (599, "public", true), (302, "public", true),
        ] as [(UInt16, String, Bool)]
    )
    func heuristicStatuses(status: UInt16, cacheControl: String, isGuessed: Bool) {
        let stored = response(cacheControl, [("Last-Modified", date(-1000))], status: status)
        #expect((stored.lifetimeSource == .heuristic) == isGuessed)
    }
}
