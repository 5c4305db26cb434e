import HTTPCaching
import HTTPCore
import Testing

@Suite("using stored responses (RFC 9111 §4)")
struct ReuseTests {
    private func decide(
        _ response: ResponseMetadata,
        _ request: String = "",
        age: Int64,
        isInvalidated: Bool = false
    ) -> ServeDecision {
        response.decision(for: directives(request), ageSeconds: age, isInvalidated: isInvalidated)
    }

    @Test("a fresh response is used, one at the end of its lifetime validated (C-1.1, C-6.3)")
    func freshness() {
        #expect(decide(response("max-age=60"), age: 59) == .fresh(remainingSeconds: 1))
        #expect(decide(response("max-age=60"), age: 60) == .validate(.stale))
        #expect(decide(response([("ETag", "\"a\"")]), age: 0) == .validate(.stale))
    }

    @Test(
        "no-cache is validated before every use (C-6.4)",
        arguments: ["no-cache, max-age=60", "NO-CACHE, s-maxage=60"]
    )
    func noCache(text: String) { #expect(decide(response(text), age: 0) == .validate(.noCache)) }

    @Test("no-cache with names lets the rest be used (C-20.4)")
    func qualifiedNoCache() {
        #expect(decide(response("no-cache=\"x\", max-age=60"), age: 0) == .fresh(remainingSeconds: 60))
    }

    @Test("must-revalidate changes nothing while fresh (C-6.5)")
    func mustRevalidate() {
        #expect(decide(response("must-revalidate, max-age=60"), age: 59) == .fresh(remainingSeconds: 1))
        #expect(decide(response("must-revalidate, max-age=60"), "max-stale", age: 60) == .validate(.mustRevalidate))
    }

    @Test("what an unsafe request invalidated is validated (C-15.1)")
    func invalidated() {
        let stored = response("max-age=60, stale-while-revalidate=60")
        #expect(decide(stored, age: 0, isInvalidated: true) == .validate(.invalidated))
    }

    @Test(
        "within stale-while-revalidate a stale response is used at once, after it the client waits (C-7.1)",
        arguments: [
            (59, .fresh(remainingSeconds: 1)), (60, .staleWhileRevalidate(staleBySeconds: 0)),
            (89, .staleWhileRevalidate(staleBySeconds: 29)), (90, .validate(.stale)),
        ] as [(Int64, ServeDecision)]
    )
    func staleWhileRevalidate(age: Int64, expected: ServeDecision) {
        #expect(decide(response("max-age=60, stale-while-revalidate=30"), age: age) == expected)
    }

    @Test("must-revalidate and proxy-revalidate forbid the window, s-maxage beside it does not (C-7.1)")
    func staleWhileRevalidateForbidden() {
        for word in ["must-revalidate", "proxy-revalidate"] {
            let stored = response("max-age=60, stale-while-revalidate=30, \(word)")
            #expect(decide(stored, age: 60) == .validate(.mustRevalidate))
        }
        let shared = response("s-maxage=60, stale-while-revalidate=30")
        #expect(decide(shared, age: 60) == .staleWhileRevalidate(staleBySeconds: 0))
    }

    // MARK: Request directives

    @Test(
        "max-age of the request bounds the age, 0 asks for validation (C-21.4)",
        arguments: [
            ("max-age=0", 0, .validate(.requestMaxAge)), ("max-age=5", 5, .fresh(remainingSeconds: 55)),
            ("max-age=5", 6, .validate(.requestMaxAge)), ("max-age=100", 60, .validate(.stale)),
        ] as [(String, Int64, ServeDecision)]
    )
    func requestMaxAge(text: String, age: Int64, expected: ServeDecision) {
        #expect(decide(response("max-age=60"), text, age: age) == expected)
    }

    @Test(
        "min-fresh asks for a rest of the lifetime (C-21.4)",
        arguments: [
            ("min-fresh=10", 50, .fresh(remainingSeconds: 10)), ("min-fresh=10", 51, .validate(.requestMinFresh)),
            ("min-fresh=2000", 0, .validate(.requestMinFresh)),
        ] as [(String, Int64, ServeDecision)]
    )
    func minFresh(text: String, age: Int64, expected: ServeDecision) {
        #expect(decide(response("max-age=60"), text, age: age) == expected)
    }

    @Test(
        "max-stale allows staleness (C-21.4)",
        arguments: [
            ("max-stale=10", 70, .staleAllowed(staleBySeconds: 10)), ("max-stale=10", 71, .validate(.stale)),
            ("max-stale", 100_000, .staleAllowed(staleBySeconds: 99940)), ("max-stale=x", 60, .validate(.stale)),
        ] as [(String, Int64, ServeDecision)]
    )
    func maxStale(text: String, age: Int64, expected: ServeDecision) {
        #expect(decide(response("max-age=60"), text, age: age) == expected)
    }

    @Test(
        "max-stale does not count against what the origin forbids (C-21.4)",
        arguments: [
            ("max-age=60, must-revalidate", .mustRevalidate), ("max-age=60, proxy-revalidate", .mustRevalidate),
            ("s-maxage=60", .mustRevalidate), ("max-age=60, no-cache", .noCache),
        ] as [(String, ValidationReason)]
    )
    func maxStaleForbidden(text: String, reason: ValidationReason) {
        #expect(decide(response(text), "max-stale", age: 61) == .validate(reason))
    }

    @Test("no-cache in a request validates, no-store lets a stored response be used (C-21.4)")
    func requestNoCache() {
        #expect(decide(response("max-age=60"), "no-cache", age: 0) == .validate(.requestNoCache))
        #expect(decide(response("max-age=60"), "no-store", age: 0) == .fresh(remainingSeconds: 60))
    }

    @Test("only-if-cached uses what may be used and refuses the rest (C-21.4)")
    func onlyIfCached() {
        let stored = response("max-age=60, stale-while-revalidate=10")
        #expect(decide(stored, "only-if-cached", age: 0) == .fresh(remainingSeconds: 60))
        #expect(decide(stored, "only-if-cached", age: 60) == .staleWhileRevalidate(staleBySeconds: 0))
        #expect(decide(stored, "only-if-cached", age: 70) == .refuse(.stale))
        #expect(decide(stored, "only-if-cached, no-cache", age: 0) == .refuse(.requestNoCache))
    }

    @Test("a reload does not validate what is immutable and fresh; no-cache still does (C-24.6)")
    func immutable() {
        #expect(decide(response("max-age=60, immutable"), "max-age=0", age: 1) == .fresh(remainingSeconds: 59))
        #expect(decide(response("max-age=60, immutable"), "max-age=0", age: 60) == .validate(.requestMaxAge))
        #expect(decide(response("max-age=60, immutable"), "no-cache", age: 1) == .validate(.requestNoCache))
    }

    @Test("ages and windows at their limits never wrap")
    func limits() {
        let stored = response("max-age=99999999999, stale-while-revalidate=99999999999")
        #expect(
            decide(stored, "max-stale=99999999999, min-fresh=99999999999", age: .max) == .validate(.requestMinFresh)
        )
        #expect(decide(stored, age: .min) == .fresh(remainingSeconds: DeltaSeconds.limit))
    }

    @Test("the reason names the fwd word of Cache-Status (C-24.1)")
    func forwardWords() {
        for reason in [ValidationReason.stale, .mustRevalidate, .noCache, .invalidated] {
            #expect(reason.forward.rawValue == "stale", "\(reason)")
        }
        for reason in [ValidationReason.requestNoCache, .requestMaxAge, .requestMinFresh] {
            #expect(reason.forward.rawValue == "request", "\(reason)")
        }
    }

    // MARK: Failed loads

    private func verdict(
        _ response: ResponseMetadata,
        _ failure: LoadFailure,
        _ request: String = "",
        age: Int64 = 100,
        options: CachingOptions = CachingOptions()
    ) -> StaleVerdict {
        response.staleVerdict(after: failure, for: directives(request), ageSeconds: age, options: options)
    }

    @Test("an unreachable origin lets stale content be used, however old (C-7.2)")
    func disconnected() {
        #expect(verdict(response("max-age=60"), .network) == .serve(.disconnected))
        #expect(verdict(response([("Last-Modified", date(-10))]), .network, age: .max) == .serve(.disconnected))
    }

    @Test(
        "except with must-revalidate, proxy-revalidate, no-cache or s-maxage (C-7.3)",
        arguments: [
            ("max-age=60, must-revalidate", .mustRevalidate), ("max-age=60, proxy-revalidate", .mustRevalidate),
            ("max-age=60, no-cache", .noCache), ("s-maxage=60", .sMaxAge), ("max-age=60, s-maxage=2", .sMaxAge),
        ] as [(String, StaleObstacle)]
    )
    func disconnectedForbidden(text: String, obstacle: StaleObstacle) {
        #expect(verdict(response(text), .network) == .refuse(obstacle))
    }

    @Test("a response still fresh stands in although it must be validated once stale (C-7.2)")
    func disconnectedFresh() {
        #expect(
            verdict(response("s-maxage=60, must-revalidate"), .network, "max-age=0", age: 1) == .serve(.disconnected)
        )
    }

    @Test("a client that insists on validation gets no unvalidated response")
    func disconnectedNoCache() {
        #expect(verdict(response("max-age=60"), .network, "no-cache") == .refuse(.requestNoCache))
    }

    @Test(
        "a complete error is passed on unless stale-if-error covers it (C-7.4, C-21.2)",
        arguments: [
            ("max-age=60", "", 503, .refuse(.statusNotCovered)),
            ("max-age=60, stale-if-error=60", "", 503, .serve(.staleIfError)),
            ("max-age=60, stale-if-error=60", "", 500, .serve(.staleIfError)),
            ("max-age=60, stale-if-error=60", "", 502, .serve(.staleIfError)),
            ("max-age=60, stale-if-error=60", "", 504, .serve(.staleIfError)),
            ("max-age=60, stale-if-error=60", "", 501, .refuse(.statusNotCovered)),
            ("max-age=60, stale-if-error=60", "", 404, .refuse(.statusNotCovered)),
            ("max-age=60, stale-if-error=40", "", 503, .refuse(.windowExceeded)),
            ("max-age=60", "stale-if-error=60", 503, .serve(.requestStaleIfError)),
            ("max-age=60", "stale-if-error=40", 503, .refuse(.statusNotCovered)),
            ("max-age=60, stale-if-error=60, must-revalidate", "", 503, .refuse(.mustRevalidate)),
            ("s-maxage=60, stale-if-error=60", "", 503, .serve(.staleIfError)),
            ("s-maxage=60", "stale-if-error=60", 503, .refuse(.statusNotCovered)),
        ] as [(String, String, UInt16, StaleVerdict)]
    )
    func staleIfError(stored: String, request: String, status: UInt16, expected: StaleVerdict) {
        #expect(verdict(response(stored), .status(status), request) == expected)
    }

    @Test("the setting covers responses that say nothing themselves (C-21.2)")
    func configuredStaleIfError() {
        var options = CachingOptions()
        options.staleIfErrorSeconds = 3600
        #expect(verdict(response("max-age=60"), .status(503), options: options) == .serve(.configured))
        #expect(
            verdict(response("max-age=60, stale-if-error=1"), .status(503), options: options)
                == .refuse(.windowExceeded)
        )
    }

    @Test("a window of the setting ends as one of the origin does, and one of 0 covers not even what is fresh (C-21.2)")
    func windowEnds() {
        var options = CachingOptions()
        for (seconds, expected) in [
            (40, .refuse(.statusNotCovered)), (41, .serve(.configured)), (0, .refuse(.statusNotCovered)),
        ] as [(Int64, StaleVerdict)] {
            options.staleIfErrorSeconds = seconds
            #expect(verdict(response("max-age=60"), .status(503), options: options) == expected)
        }
        options.staleIfErrorSeconds = 3600
        #expect(verdict(response("s-maxage=60"), .status(503), options: options) == .refuse(.statusNotCovered))
        let none = response("max-age=60, stale-if-error=0")
        #expect(verdict(none, .status(503), "max-age=0", age: 1) == .refuse(.windowExceeded))
        #expect(verdict(none, .network, "max-age=0", age: 1) == .serve(.disconnected))
        let one = response("max-age=60, stale-if-error=1")
        #expect(verdict(one, .status(503), "max-age=0", age: 1) == .serve(.staleIfError))
    }

    @Test("an origin that bounds stale-if-error bounds it for unreachability too (C-7.2)")
    func windowExceeded() {
        #expect(verdict(response("max-age=60, stale-if-error=10"), .network) == .refuse(.windowExceeded))
    }

    @Test("an invalidated response never stands in (C-15.1)")
    func invalidatedNeverServed() {
        let judged = response("max-age=60, stale-if-error=60").staleVerdict(
            after: .network,
            for: RequestDirectives(),
            ageSeconds: 0,
            isInvalidated: true,
            options: CachingOptions()
        )
        #expect(judged == .refuse(.invalidated))
    }
}
