import HTTPCaching
import HTTPCore
import Testing

@Suite("storing responses (RFC 9111 §3)")
struct StoringTests {
    private static let everybody = Storability.store(.shared, .shareable)

    // MARK: What is worth storing

    @Test(
        "a response without lifetime and validator is not stored, either of them is enough (C-0.1, C-6.4)",
        arguments: [
            ([], .refuse(.noLifetimeNoValidator)), ([("Cache-Control", "max-age=60")], everybody),
            ([("ETag", "\"a\"")], everybody), ([("Last-Modified", date(-100))], everybody),
            ([("Cache-Control", "max-age=0"), ("ETag", "\"a\"")], everybody),
            ([("Cache-Control", "max-age=0")], .refuse(.zeroLifetimeNoValidator)),
            ([("Cache-Control", "max-age=0, stale-while-revalidate=5")], everybody),
            ([("Cache-Control", "max-age=0, stale-if-error=5")], everybody), ([("Expires", date(60))], everybody),
            ([("Expires", "0")], .refuse(.zeroLifetimeNoValidator)),
        ] as [([FieldLine], Storability)]
    )
    func usefulness(lines: [FieldLine], expected: Storability) { #expect(storability(response(lines)) == expected) }

    @Test(
        "no-store in any case wins over any lifetime (C-6.2)",
        arguments: [
            "no-store", "NO-STORE, max-age=60", "max-age=60, No-Store", "no-store, no-transform, max-age=60",
        ]
    )
    func noStore(text: String) {
        #expect(storability(response(text, [("Expires", date(100))])) == .refuse(.noStore))
    }

    @Test("no-cache is stored if it can be validated, however long the lifetime (C-6.4)")
    func noCache() {
        #expect(storability(response("No-Cache, max-age=60", [("ETag", "\"a\"")])) == Self.everybody)
        #expect(storability(response("no-cache, max-age=60")) == .refuse(.noCacheWithoutValidator))
    }

    @Test("the answer to a request with no-store is not stored (C-21.4)")
    func requestNoStore() {
        let stored = storability(response("max-age=60"), request: [("Cache-Control", "no-store")])
        #expect(stored == .refuse(.requestNoStore))
    }

    @Test(
        "with a stated lifetime every final status is stored (C-10.1)",
        arguments: [200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599]
            as [UInt16]
    )
    func explicitStatuses(status: UInt16) {
        #expect(storability(response("max-age=60", status: status)) == Self.everybody)
    }

    @Test(
        "responses about one request only are not stored (C-10.1, H-109, H-112)",
        arguments: [
            (100, .interim), (103, .interim), (206, .partialContent), (304, .statusForOneRequest),
            (407, .statusForOneRequest), (412, .statusForOneRequest), (416, .statusForOneRequest),
        ] as [(UInt16, RefusalReason)]
    )
    func specialStatuses(status: UInt16, reason: RefusalReason) {
        #expect(storability(response("max-age=60, public", status: status)) == .refuse(reason))
    }

    @Test(
        "without stated lifetime only certain statuses are stored, whatever the validator (C-8.3, H-124)",
        arguments: [
            (200, true), (404, true), (410, true), (403, false), (400, false), (429, false), (500, false), (302, false),
        ] as [(UInt16, Bool)]
    )
    func implicitStatuses(status: UInt16, isStored: Bool) {
        let stored = storability(response([("ETag", "\"a\""), ("Last-Modified", date(-100))], status: status))
        #expect(stored == (isStored ? Self.everybody : .refuse(.statusNotCacheable)))
    }

    @Test(
        "must-understand overrides no-store where the status is known, and forbids storing where it is not (C-10.3)",
        arguments: [
            (200, "must-understand, no-store, max-age=60", nil),
            (599, "must-understand, max-age=60", .statusNotUnderstood),
            (299, "must-understand, no-store, max-age=60", .statusNotUnderstood),
            (499, "must-understand, max-age=60", .statusNotUnderstood),
            (404, "must-understand, no-store, max-age=60", nil),
        ] as [(UInt16, String, RefusalReason?)]
    )
    func mustUnderstand(status: UInt16, text: String, reason: RefusalReason?) {
        #expect(storability(response(text, status: status)) == (reason.map { .refuse($0) } ?? Self.everybody))
    }

    @Test("the answer to an unknown method, or to HEAD, is not stored (H-112)")
    func methods() {
        for method in [Method.head, .put, .delete, .options, .post, .patch, .other("FOO".bytes)] {
            let judged = response("max-age=60").storability(
                for: RequestProfile(method: method),
                options: CachingOptions()
            )
            #expect(judged == .refuse(.method))
        }
    }

    @Test(
        "Vary: * anywhere is not stored (C-11.2, H-112)",
        arguments: [["*"], ["*, *"], [", *"], ["*, Foo"], ["Foo, *"], ["", "*"], ["Foo", "Bar,*"]]
    )
    func varyAny(lines: [String]) {
        #expect(storability(response("max-age=60", lines.map { ("Vary", $0) })) == .refuse(.varyAny))
    }

    @Test("a response that nominates more than 32 fields is not stored (H-117)", arguments: [(32, true), (33, false)])
    func varyLimit(count: Int, isStored: Bool) {
        let names = (0..<count).map { "X-\($0)" }.joined(separator: ", ")
        let stored = storability(response("max-age=60", [("Vary", names)]))
        #expect(stored == (isStored ? Self.everybody : .refuse(.varyTooLong)))
    }

    @Test("an event stream is not stored (C-24.5)")
    func eventStream() {
        let stored = storability(response("max-age=60", [("Content-Type", "Text/Event-Stream; charset=utf-8")]))
        #expect(stored == .refuse(.eventStream))
    }

    // MARK: For whom

    private static let bearer: [FieldLine] = [("Authorization", "Bearer a")]
    private static let cookie: [FieldLine] = [("Cookie", "a=b")]

    @Test("private goes to the credential's partition, without credential nowhere (C-6.1, C-20.2)")
    func privateResponses() {
        let stored = response("private, max-age=60")
        #expect(storability(stored) == .refuse(.privateWithoutCredential))
        #expect(storability(stored, request: Self.bearer) == .store(.personal, .responsePrivate))
        #expect(storability(stored, request: Self.cookie) == .store(.personal, .responsePrivate))
    }

    @Test(
        "the answer to a request with Authorization serves everybody only if it says so (C-17.1, H-113)",
        arguments: [
            ("max-age=60", .store(.credential, .authorization)),
            ("public, max-age=60", .store(.shared, .sharedDespiteAuthorization)),
            ("must-revalidate, max-age=60", .store(.shared, .sharedDespiteAuthorization)),
            ("s-maxage=60", .store(.shared, .sharedDespiteAuthorization)),
            ("proxy-revalidate, max-age=60", .store(.credential, .authorization)),
            ("private, public, max-age=60", .store(.personal, .responsePrivate)),
        ] as [(String, Storability)]
    )
    func authorization(text: String, expected: Storability) {
        #expect(storability(response(text), request: Self.bearer) == expected)
    }

    @Test(
        "the listed credential fields are treated as Authorization is (C-20.1)",
        arguments: ["X-Api-Key", "private-token", "JOB-TOKEN"]
    )
    func listedCredentials(name: String) {
        #expect(storability(response("max-age=60"), request: [(name, "k")]) == .store(.credential, .authorization))
    }

    @Test("a Cookie in the request is no obstacle to a stated lifetime (C-17.5)")
    func cookieExplicit() {
        #expect(storability(response("max-age=60"), request: Self.cookie) == Self.everybody)
    }

    @Test("a response without stated lifetime to a request with Cookie is for that cookie (C-20.1b)")
    func cookieHeuristic() {
        let guessed = response([("Last-Modified", date(-1000))])
        #expect(storability(guessed, request: Self.cookie) == .store(.personal, .cookie))
        #expect(storability(response([("ETag", "\"a\"")]), request: Self.cookie) == .store(.personal, .cookie))
    }

    @Test("Set-Cookie answered to a credential is for that credential (C-17.5)")
    func setCookieWithCredential() {
        let stored = response("public, max-age=60", [("Set-Cookie", "a=b")])
        #expect(storability(stored, request: Self.cookie) == .store(.personal, .setCookie))
        #expect(storability(stored, request: Self.bearer) == .store(.personal, .setCookie))
    }

    @Test(
        "Set-Cookie brought by no credential is shared only with a stated lifetime (H-114)",
        arguments: [
            ([("Cache-Control", "max-age=60")], true), ([("Cache-Control", "max-age=1")], true),
            ([("Expires", date(60))], true), ([("ETag", "\"a\"")], false),
            ([("Last-Modified", date(-10000))], false), ([("Cache-Control", "max-age=0"), ("ETag", "\"a\"")], false),
            ([("Cache-Control", "no-cache, max-age=60"), ("ETag", "\"a\"")], false),
        ] as [([FieldLine], Bool)]
    )
    func setCookieShared(lines: [FieldLine], isShared: Bool) {
        let stored = storability(response(lines + [("Set-Cookie", "a=b")]))
        #expect(stored == (isShared ? Self.everybody : .refuse(.setCookie)))
    }

    @Test(
        "beyond loopback Set-Cookie is shared only with public or s-maxage (H-114)",
        arguments: [("max-age=60", false), ("public, max-age=60", true), ("s-maxage=60", true)]
    )
    func setCookieBeyondLoopback(text: String, isShared: Bool) {
        var options = CachingOptions()
        options.isLoopbackListener = false
        let stored = storability(response(text, [("Set-Cookie", "a=b")]), options: options)
        #expect(stored == (isShared ? Self.everybody : .refuse(.setCookie)))
    }

    @Test("a rule may refuse or reuse Set-Cookie (H-114)")
    func setCookiePolicy() {
        var options = CachingOptions()
        options.setCookie = .refuse
        #expect(storability(response("max-age=60", [("Set-Cookie", "a=b")]), options: options) == .refuse(.setCookie))
        options.setCookie = .reuse
        let stored = response([("ETag", "\"a\""), ("Set-Cookie", "a=b")])
        #expect(storability(stored, options: options) == Self.everybody)
    }

    // MARK: POST

    private func post(_ lines: [FieldLine], status: UInt16 = 200) -> Storability {
        let target = TargetURI(scheme: .http, host: "a.example".bytes, port: 80, path: "/x/y?z".bytes)
        return response(lines, status: status).storabilityOfPost(
            to: target,
            fields: Fields(lines),
            request: RequestProfile(method: .post),
            options: CachingOptions()
        )
    }

    @Test(
        "a 200 to POST whose Content-Location is the target answers later GETs (C-9.1)",
        arguments: [
            ("http://a.example/x/y?z", true), ("/x/y?z", true), ("y?z", true), ("HTTP://A.example:80/x/y?z", true),
            ("?z", true), ("", true), ("/x/y", false), ("/other", false), ("http://b.example/x/y?z", false),
            ("https://a.example/x/y?z", false),
        ]
    )
    func postContentLocation(location: String, isStored: Bool) {
        let judged = post([("Cache-Control", "max-age=60"), ("Content-Location", location)])
        #expect(judged == (isStored ? Self.everybody : .refuse(.notTheTarget)))
    }

    @Test("POST without stated lifetime, Content-Location or success is not stored (C-9.1)")
    func postOtherwise() {
        #expect(post([("Cache-Control", "max-age=60")]) == .refuse(.notTheTarget))
        #expect(post([("ETag", "\"a\""), ("Content-Location", "/x/y?z")]) == .refuse(.notTheTarget))
        let lines = [("Cache-Control", "max-age=60"), ("Content-Location", "/x/y?z")]
        #expect(post(lines, status: 201) == .refuse(.notTheTarget))
        #expect(post(lines + [("Cache-Control", "no-store")]) == .refuse(.noStore))
    }

    // MARK: Sharing while it arrives

    @Test(
        "followers share any complete response to GET, also without lifetime (C-23.0)",
        arguments: [
            ([], 200), ([("Cache-Control", "max-age=0")], 200), ([], 404), ([], 500), ([("Vary", "Accept")], 200),
        ]
            as [([FieldLine], UInt16)]
    )
    func sharedWithFollowers(lines: [FieldLine], status: UInt16) {
        #expect(response(lines, status: status).sharing(for: get()) == .everyone)
    }

    @Test(
        "what belongs to one request is the leader's only (C-23.0)",
        arguments: [
            ([("Cache-Control", "no-store")], 200, .noStore), ([("Cache-Control", "no-cache")], 200, .noCache),
            ([("Cache-Control", "no-cache=\"x\"")], 200, .noCache),
            ([("Cache-Control", "private")], 200, .responsePrivate),
            ([("Cache-Control", "private=x")], 200, .responsePrivate), ([("Vary", "*")], 200, .varyAny),
            ([("Set-Cookie", "a=b")], 200, .setCookie), ([], 206, .partialContent), ([], 103, .interim),
            ([("Content-Type", "text/event-stream")], 200, .eventStream), ([], 412, .statusForOneRequest),
            ([("Incremental", "?1")], 200, .incremental), ([("Incremental", "?1;x")], 200, .incremental),
        ] as [([FieldLine], UInt16, SharingObstacle)]
    )
    func leaderOnly(lines: [FieldLine], status: UInt16, obstacle: SharingObstacle) {
        #expect(response(lines, status: status).sharing(for: get()) == .leaderOnly(obstacle))
    }

    @Test("what is no true Boolean asks for nothing (C-24.5)", arguments: ["?0", "1", "?", "?10", "true"])
    func notIncremental(value: String) {
        #expect(response([("Incremental", value)], status: 200).sharing(for: get()) == .everyone)
    }

    @Test("the answer to Authorization is shared beyond its credential only if it says so (C-23.0, C-20.3)")
    func sharingCredentials() {
        #expect(response("max-age=60").sharing(for: get(Self.bearer)) == .sameCredential)
        #expect(response("public").sharing(for: get(Self.bearer)) == .everyone)
        #expect(response("max-age=60").sharing(for: get(Self.cookie)) == .everyone)
    }

    @Test(
        "requests with Range, Upgrade, no-store or for an event stream never join (C-23.0)",
        arguments: [
            [("Range", "bytes=0-1")], [("Upgrade", "websocket")], [("Cache-Control", "no-store")],
            [("Accept", "text/html, Text/Event-Stream")],
        ] as [[FieldLine]]
    )
    func neverJoin(lines: [FieldLine]) {
        #expect(!get(lines).mayJoin)
        #expect(response("max-age=60").sharing(for: get(lines)) == .leaderOnly(.request))
    }

    @Test(
        "a media type whose name only resembles an event stream's joins (C-23.0)",
        arguments: ["text/event-streams", "x-text/event-stream", "text/html;a=\"text/event-stream\""]
    )
    func otherMediaTypes(text: String) { #expect(get([("Accept", text)]).mayJoin) }

    @Test("a request other than GET joins no GET (C-23.5)")
    func otherMethodsNeverJoin() {
        #expect(get([("Accept", "text/html")]).mayJoin)
        #expect(!RequestProfile(method: .head).mayJoin)
    }
}
