import HTTPCaching
import HTTPCore
import Testing

@Suite("conditional requests and validation (RFC 9110 §13, RFC 9111 §4.3)")
struct ConditionTests {
    private func outcome(
        _ stored: [FieldLine],
        _ request: [FieldLine],
        status: UInt16 = 200,
        method: Method = .get,
        isOrigin: Bool = false
    ) -> ConditionOutcome {
        response(stored, status: status)
            .conditionOutcome(method: method, fields: Fields(request), now: receipt, isOrigin: isOrigin)
    }

    // MARK: Received

    @Test(
        "If-None-Match is a list of opaque tags, compared weakly (C-12.2, C-21.5)",
        arguments: [
            ("\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false), ("\"a\"", "W/\"a\"", true), ("W/\"a\"", "\"a\"", true),
            ("\"a\"", "\"a\", \"b\"", true), ("\"a\"", "\"b\", \"a\"", true), ("\"a\"", "\"b\" ,, \"a\",\"c\"", true),
            ("\"a\"", "*", true), ("\"a,b\"", "\"x\", \"a,b\"", true), ("\"a\"", "\"b,\"a\",c\"", false),
            ("\"a\"", "a", false), ("a", "a", true), ("a", "\"a\"", false), ("\"a\"", "w/\"a\"", false),
            ("\"a\"", "W\\\"a\"", false), ("\"a\"", "W\"a\"", false), ("\"a\\\"", "\"a\\\"", true),
            ("\"a\\\"", "\"x\", \"a\\\", \"y\"", true), ("\"\"", "\"\"", true), ("\"a\"", "\"A\"", false),
        ]
    )
    func ifNoneMatch(stored: String, list: String, holds: Bool) {
        let judged = outcome([("ETag", stored)], [("If-None-Match", list)])
        #expect(judged == (holds ? .notModified : .proceed))
    }

    @Test("tags of bytes beyond ASCII compare byte for byte (C-12.2)")
    func obsText() {
        var stored = Fields()
        stored.append(.etag, [0x22, 0xFC, 0x22])
        let metadata = ResponseMetadata(
            status: 200,
            fields: stored,
            requestTime: receipt,
            responseTime: receipt,
            options: CachingOptions()
        )
        var request = Fields()
        request.append(.ifNoneMatch, [0x22, 0xFC, 0x22])
        #expect(metadata.conditionOutcome(method: .get, fields: request, now: receipt) == .notModified)
    }

    @Test("several lines of If-None-Match are one list (C-12.2)")
    func ifNoneMatchLines() {
        #expect(outcome([("ETag", "\"a\"")], [("If-None-Match", "\"b\""), ("If-None-Match", "\"a\"")]) == .notModified)
    }

    @Test("with If-None-Match, If-Modified-Since is not looked at (C-12.2)")
    func precedence() {
        let stored: [FieldLine] = [("ETag", "\"a\""), ("Last-Modified", date(-100))]
        #expect(outcome(stored, [("If-None-Match", "\"b\""), ("If-Modified-Since", date(0))]) == .proceed)
        #expect(outcome(stored, [("If-None-Match", "\"a\""), ("If-Modified-Since", date(-200))]) == .notModified)
    }

    @Test(
        "If-Modified-Since holds if Last-Modified is not later, in every form of date (C-12.3)",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", true), ("Sun, 06 Nov 1994 08:49:38 GMT", true),
            ("Sun, 06 Nov 1994 08:49:36 GMT", false), ("Sunday, 06-Nov-94 08:49:37 GMT", true),
            ("Sun Nov  6 08:49:37 1994", true), ("yesterday", false), ("", false),
        ]
    )
    func ifModifiedSince(text: String, holds: Bool) {
        let judged = outcome([("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")], [("If-Modified-Since", text)])
        #expect(judged == (holds ? .notModified : .proceed))
    }

    @Test("without Last-Modified the Date is compared (C-12.3)", arguments: [(-1, false), (0, true), (1, true)])
    func ifModifiedSinceWithoutLastModified(offset: Int64, holds: Bool) {
        let judged = outcome([("Date", date(0))], [("If-Modified-Since", date(offset))])
        #expect(judged == (holds ? .notModified : .proceed))
    }

    @Test("only a stored 200 or 206 is judged, and only for GET and HEAD (C-12.1)")
    func scope() {
        let stored: [FieldLine] = [("ETag", "\"a\"")]
        let request: [FieldLine] = [("If-None-Match", "\"a\"")]
        #expect(outcome(stored, request, status: 404) == .proceed)
        #expect(outcome(stored, request, status: 206) == .notModified)
        #expect(outcome(stored, request, method: .head) == .notModified)
        #expect(outcome(stored, request, method: .post) == .proceed)
    }

    @Test("If-Match and If-Unmodified-Since are judged only where the content is our own (RFC 9111 §4.3.2)")
    func originConditions() {
        let stored: [FieldLine] = [("ETag", "\"a\""), ("Last-Modified", date(-100))]
        #expect(outcome(stored, [("If-Match", "\"b\"")]) == .proceed)
        #expect(outcome(stored, [("If-Match", "\"b\"")], isOrigin: true) == .preconditionFailed)
        #expect(outcome(stored, [("If-Match", "\"b\", \"a\"")], isOrigin: true) == .proceed)
        #expect(outcome(stored, [("If-Match", "W/\"a\"")], isOrigin: true) == .preconditionFailed)
        #expect(outcome(stored, [("If-Match", "*")], isOrigin: true) == .proceed)
        #expect(outcome(stored, [("If-Unmodified-Since", date(-200))], isOrigin: true) == .preconditionFailed)
        #expect(outcome(stored, [("If-Unmodified-Since", date(-100))], isOrigin: true) == .proceed)
        let both: [FieldLine] = [("If-Match", "\"a\""), ("If-None-Match", "\"a\"")]
        #expect(outcome(stored, both, isOrigin: true) == .notModified)
    }

    @Test("a condition on our own content fails only by what is there; If-Match comes before the date")
    func originConditionsWithout() {
        let (match, since) = (("If-Match", "\"a\""), ("If-Unmodified-Since", date(-200)))
        // Without Last-Modified, or without a date, there is nothing to compare.
        #expect(outcome([("ETag", "\"a\"")], [since], isOrigin: true) == .proceed)
        #expect(outcome([("Last-Modified", date(-100))], [("If-Unmodified-Since", "x")], isOrigin: true) == .proceed)
        #expect(outcome([("Last-Modified", date(-100))], [since, since], isOrigin: true) == .proceed)
        let both: [FieldLine] = [("ETag", "\"a\""), ("Last-Modified", date(-100))]
        #expect(outcome(both, [match, since], isOrigin: true) == .proceed)
        let other: [FieldLine] = [("If-Match", "\"b\""), ("If-Unmodified-Since", date(0))]
        #expect(outcome(both, other, isOrigin: true) == .preconditionFailed)
        // `*` asks for any content, a tag for that tag.
        #expect(outcome([], [("If-Match", "*")], isOrigin: true) == .proceed)
        #expect(outcome([], [match], isOrigin: true) == .preconditionFailed)
        #expect(outcome(both, [("If-Match", "*"), ("If-Match", "\"b\"")], isOrigin: true) == .preconditionFailed)
        // Other methods than GET and HEAD, too, but no stored error.
        #expect(outcome(both, [since], method: .put, isOrigin: true) == .preconditionFailed)
        #expect(outcome(both, [match], method: .put, isOrigin: true) == .proceed)
        #expect(outcome(both, [since], status: 404, isOrigin: true) == .proceed)
    }

    @Test("a 304 carries what guides caches, and Last-Modified only without a tag (C-12.4)")
    func notModifiedFields() {
        let stored = Fields([
            ("ETag", "\"a\""), ("Date", "d"), ("Vary", "v"), ("Cache-Control", "c"), ("Expires", "e"),
            ("Content-Location", "/l"), ("Last-Modified", "m"), ("Content-Type", "t"), ("Content-Length", "3"),
            ("X", "y"),
        ])
        #expect(
            StoredFields.notModified(stored).text == [
                "ETag: \"a\"", "Date: d", "Vary: v", "Cache-Control: c", "Expires: e", "Content-Location: /l",
            ]
        )
        #expect(StoredFields.notModified(Fields([("Last-Modified", "m"), ("X", "y")])).text == ["Last-Modified: m"])
    }

    // MARK: Sent

    private let client: [FieldLine] = [
        ("Accept", "x"), ("If-None-Match", "\"c\""), ("If-Modified-Since", date(0)), ("Range", "bytes=0-1"),
        ("If-Range", "\"c\""), ("If-Match", "\"c\""), ("If-Unmodified-Since", date(0)), ("Cookie", "a=b"),
    ]

    @Test("our own requests carry the client's fields without its conditions and ranges (C-0.3)")
    func unconditional() {
        #expect(SentConditions.unconditional(Fields(client)).text == ["Accept: x", "Cookie: a=b"])
    }

    @Test("validators are sent verbatim, weak ones too (C-13.1)", arguments: ["\"a\"", "W/\"a\"", "a"])
    func validators(tag: String) {
        let modified = "Sunday, 06-Nov-94 08:49:37 GMT"
        let selected = response([("ETag", tag), ("Last-Modified", modified)])
        #expect(
            SentConditions.validating(Fields(client), selected: selected).text == [
                "Accept: x", "Cookie: a=b", "If-None-Match: \(tag)", "If-Modified-Since: \(modified)",
            ]
        )
    }

    @Test("the tags of all variants are offered; a response without tag is validated by its date (C-21.6)")
    func severalVariants() {
        let others = ["\"b\"", "\"a\"", "W/\"c\""].map { response([("ETag", $0)]) } + [response()]
        let tagged = SentConditions.validating(Fields(), selected: response([("ETag", "\"a\"")]), others: others)
        #expect(tagged.text == ["If-None-Match: \"a\", \"b\", W/\"c\""])
        let dated = response([("Last-Modified", date(-5))])
        let sent = SentConditions.validating(Fields(), selected: dated, others: others)
        #expect(sent.text == ["If-Modified-Since: \(date(-5))"])
        #expect(SentConditions.validating(Fields(), selected: response()).isEmpty)
    }

    // MARK: 304

    @Test(
        "the validator of a 304 selects one of those offered, or nothing (C-21.6, H-110)",
        arguments: [
            ([["ETag": "\"a\""]], [("ETag", "\"a\"")], .freshens(0)),
            ([["ETag": "\"a\""], ["ETag": "\"b\""]], [("ETag", "\"b\"")], .freshens(1)),
            ([["ETag": "\"a\""]], [("ETag", "\"x\"")], .unknown),
            ([["ETag": "\"a\""]], [("ETag", "W/\"x\"")], .unknown),
            ([["ETag": "W/\"a\""]], [("ETag", "W/\"a\"")], .freshens(0)),
            ([["ETag": "\"a\""]], [("ETag", "W/\"a\"")], .freshens(0)),
            ([["ETag": "W/\"a\""]], [("ETag", "\"a\"")], .unknown),
            ([["ETag": "\"a\""]], [], .freshens(0)),
            ([["ETag": "\"a\""], ["ETag": "\"b\""]], [], .unknown),
            (
                [["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]],
                [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")], .freshens(0)
            ),
            (
                [["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]],
                [("Last-Modified", "Mon, 07 Nov 1994 08:49:37 GMT")], .unknown
            ),
            ([["ETag": "\"a\""]], [("Last-Modified", "Mon, 07 Nov 1994 08:49:37 GMT")], .freshens(0)),
            ([], [("ETag", "\"a\"")], .unknown),
            // Of several that fit the first that was offered counts, else the latest.
            (
                [
                    ["ETag": "\"a\"", "Date": date(-1)], ["ETag": "\"b\"", "Date": date(-9)],
                    ["ETag": "\"b\"", "Date": date(-5)],
                ],
                [("ETag", "\"b\"")], .freshens(2)
            ),
            (
                [["ETag": "\"b\"", "Date": date(-9)], ["ETag": "\"b\"", "Date": date(-5)]], [("ETag", "\"b\"")],
                .freshens(0)
            ),
            ([["Last-Modified": date(-9)], ["Last-Modified": date(-5)]], [("Last-Modified", date(-5))], .freshens(1)),
            ([["ETag": "\"a\""], ["Last-Modified": date(-5)]], [("Last-Modified", date(-5))], .freshens(1)),
        ] as [([[String: String]], [FieldLine], NotModifiedMatch)]
    )
    func match(offered: [[String: String]], received: [FieldLine], expected: NotModifiedMatch) {
        let responses = offered.map { response($0.map { ($0.key, $0.value) }) }
        #expect(Freshening.match(Fields(received), offered: responses) == expected)
    }

    private func freshened(_ stored: [FieldLine], _ received: [FieldLine], keepsSetCookie: Bool = true) -> [String] {
        Freshening
            .freshened(Fields(stored), by: Fields(received), receivedAt: receipt, keepsSetCookie: keepsSetCookie).text
    }

    @Test("fields of a 304 replace all stored lines of their name in place, the others stay (C-14.3)")
    func replacement() {
        let stored: [FieldLine] = [("X-A", "1"), ("X-B", "1"), ("x-a", "2"), ("X-C", "3")]
        #expect(freshened(stored, [("x-A", "9"), ("X-D", "4")]) == ["x-A: 9", "X-B: 1", "X-C: 3", "X-D: 4"])
        #expect(freshened(stored, [("X-b", "8"), ("X-B", "9")]) == ["X-A: 1", "X-b: 8", "X-B: 9", "x-a: 2", "X-C: 3"])
    }

    @Test(
        "what describes the stored content stays, and no framing is added (C-14.3, C-21.7, H-110)",
        arguments: ["Content-Length", "Content-Encoding", "Content-Range"]
    )
    func contentStays(name: String) {
        #expect(freshened([(name, "1")], [(name, "2")]) == ["\(name): 1"])
        #expect(freshened([("X", "y")], [(name, "2"), ("Transfer-Encoding", "chunked")]) == ["X: y"])
    }

    @Test("connection fields and Warning of a 304 are not stored (C-14.2)")
    func connectionFieldsOf304() {
        let received: [FieldLine] = [("Connection", "X-Foo"), ("X-Foo", "1"), ("Keep-Alive", "1"), ("Warning", "1")]
        #expect(freshened([("X", "y")], received) == ["X: y"])
    }

    @Test("the old Age goes, Date is the new one or the time of receipt (C-14.4)")
    func ageAndDate() {
        let stored: [FieldLine] = [("Date", date(-500)), ("Age", "100"), ("Cache-Control", "max-age=60")]
        #expect(freshened(stored, []) == ["Date: \(date(0))", "Cache-Control: max-age=60"])
        let received: [FieldLine] = [("Date", date(-1)), ("Age", "7"), ("Cache-Control", "max-age=5")]
        #expect(freshened(stored, received) == ["Date: \(date(-1))", "Cache-Control: max-age=5", "Age: 7"])
    }

    @Test("the new Cache-Control governs (C-14.4)")
    func newLifetime() {
        let fields = Freshening.freshened(
            Fields([("Cache-Control", "max-age=1"), ("Age", "50"), ("Date", date(-90))]),
            by: Fields([("Cache-Control", "max-age=3600")]),
            receivedAt: receipt,
            keepsSetCookie: true
        )
        let metadata = ResponseMetadata(
            status: 200,
            fields: fields,
            requestTime: receipt,
            responseTime: receipt,
            options: CachingOptions()
        )
        #expect(metadata.lifetimeSeconds == 3600)
        #expect(metadata.ageAtReceiptSeconds == 0)
    }

    @Test("Set-Cookie that a 304 brings to one client's validation does not reach others (H-114)")
    func setCookieOf304() {
        let stored: [FieldLine] = [("X", "y")]
        #expect(freshened(stored, [("Set-Cookie", "a=b")], keepsSetCookie: false) == ["X: y"])
        #expect(freshened(stored, [("Set-Cookie", "a=b")]) == ["X: y", "Set-Cookie: a=b"])
    }

    @Test(
        "a 200 to HEAD freshens what it does not contradict (C-21.7)",
        arguments: [
            (200, [("ETag", "\"a\""), ("Content-Length", "3")], .freshens), (200, [], .freshens),
            (200, [("ETag", "\"b\"")], .contradicts), (200, [("Content-Length", "4")], .contradicts),
            (200, [("Last-Modified", date(0))], .contradicts), (200, [("X", "y")], .freshens),
            (404, [("ETag", "\"b\"")], .ignored), (304, [], .ignored),
        ] as [(UInt16, [FieldLine], HeadMatch)]
    )
    func head(status: UInt16, lines: [FieldLine], expected: HeadMatch) {
        let held = [("ETag", "\"a\""), ("Last-Modified", date(-10)), ("Content-Length", "3")]
        #expect(Freshening.match(head: status, Fields(lines), stored: response(held), Fields(held)) == expected)
    }
}
