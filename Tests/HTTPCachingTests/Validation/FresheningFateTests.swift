import HTTPCaching
import HTTPCore
import Testing

@Suite("stored responses after a 304 (RFC 9111 §3.5, §4.3.4)")
struct FresheningFateTests {
    private func fate(
        _ cacheControl: String,
        _ lines: [FieldLine] = [],
        isShared: Bool,
        request: [FieldLine] = []
    ) -> FresheningFate {
        response(cacheControl, lines + [("ETag", "\"a\"")])
            .fate(ofStoredFor: isShared ? .shared : .personal, for: get(request), options: CachingOptions())
    }

    @Test("a response that may be stored where it is takes the freshened form (C-14.3)", arguments: [true, false])
    func replaced(isShared: Bool) { #expect(fate("max-age=60", isShared: isShared) == .replace) }

    @Test(
        "one that the origin no longer lets be stored goes (C-14.4)",
        arguments: ["no-store", "private", "max-age=60, private"]
    )
    func removed(text: String) {
        #expect(fate(text, isShared: true) == .remove)
        #expect(fate(text, [], isShared: true, request: [("Authorization", "a")]) == .remove)
    }

    @Test("what the origin told one credential changes nothing for everybody (C-17.1, C-20.3)")
    func unchanged() {
        #expect(fate("max-age=60", isShared: true, request: [("Authorization", "a")]) == .keepUnchanged)
        #expect(fate("max-age=60", isShared: false, request: [("Authorization", "a")]) == .replace)
        #expect(fate("public, max-age=60", isShared: true, request: [("Authorization", "a")]) == .replace)
        #expect(fate("", isShared: true, request: [("Cookie", "a=b")]) == .keepUnchanged)
        #expect(fate("max-age=60", isShared: true, request: [("Cookie", "a=b")]) == .replace)
    }

    @Test("what several cookies of one credential share is freshened by what is for all of them alone (C-20.1b)")
    func credential() {
        let user = [("Authorization", "a"), ("Cookie", "b=c")]
        func fate(_ control: String) -> FresheningFate {
            response(control, [("ETag", "\"a\"")])
                .fate(ofStoredFor: .credential, for: get(user), options: CachingOptions())
        }
        #expect(fate("max-age=60") == .replace)
        #expect(fate("") == .keepUnchanged)
        #expect(fate("private") == .remove)
    }

    @Test("where cookies are kept apart, what the origin told one changes nothing for everybody (C-20.1b)")
    func cookiesApart() {
        var options = CachingOptions()
        options.cookies = .partition
        let stored = response("max-age=60", [("ETag", "\"a\"")])
        let request = get([("Cookie", "a=b")])
        #expect(stored.fate(ofStoredFor: .shared, for: request, options: options) == .keepUnchanged)
        #expect(stored.fate(ofStoredFor: .personal, for: request, options: options) == .replace)
    }

    @Test("in its own partition a private response is freshened (C-20.2)")
    func privatePartition() {
        #expect(fate("private, max-age=60", isShared: false, request: [("Cookie", "a=b")]) == .replace)
    }
}
