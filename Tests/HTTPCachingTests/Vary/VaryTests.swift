import HTTPCaching
import HTTPCore
import Testing

@Suite("Vary and credentials (RFC 9111 §4.1)")
struct VaryTests {
    private func key(_ vary: String, _ request: [FieldLine]) -> [UInt8] {
        VaryNames(Fields([("Vary", vary)]))
            .selectionKey(for: Fields(request), credentials: CredentialFields()) { "#".bytes + $0.reversed() }
    }

    @Test("values are in a key as they are only where they say what a client understands; others by a keyed hash")
    func concealing() {
        for name in ["Accept", "Accept-Language", "User-Agent", "Origin", "Sec-CH-UA", "X-Requested-With"] {
            #expect(String(decoding: key(name, [(name, "value")]), as: UTF8.self).contains("value"), "\(name)")
        }
        for name in ["X-Tenant", "Cookie", "Authorization", "X-Api-Key", "Referer", "Acceptance", "X-Accept"] {
            let text = String(decoding: key(name, [(name, "value")]), as: UTF8.self)
            #expect(!text.contains("value") && text.contains("#eulav"), "\(name)")
        }
        #expect(key("X-Tenant", []) != key("X-Tenant", [("X-Tenant", "")]))
    }

    @Test("the fields whose values are kept as they are")
    func plainFields() {
        let names = [
            "accept", "access-control-request-headers", "access-control-request-method", "content-type",
            "device-memory", "dnt", "downlink", "dpr", "ect", "host", "origin", "prefer", "rtt", "save-data", "te",
            "upgrade", "upgrade-insecure-requests", "user-agent", "viewport-width", "width", "x-forwarded-proto",
            "x-requested-with", "accept-", "accept-x", "sec-ch-x", "sec-fetch-x",
        ]
        for name in names { #expect(VaryNames.isPlain(name.bytes), "\(name)") }
        for name in ["cookie", "authorization", "x-accept", "acceptx", "sec-chx", "sec-fetchx", "sec-x", "forwarded"] {
            #expect(!VaryNames.isPlain(name.bytes), "\(name)")
        }
    }

    @Test("a key as it was made before becomes what a request makes now, and only once")
    func formerKeys() throws {
        let digest = { (value: [UInt8]) in "#".bytes + value.reversed() }
        let request = [("Accept", "a/b"), ("X-Tenant", "one"), ("Cookie", "id=1")]
        let names = "Accept, X-Tenant, Cookie, Other"
        let now = key(names, request)
        // As it was: only credentials by their hashes.
        let former = Array(
            String(decoding: now, as: UTF8.self).replacing("\u{2}\0\0\0\u{4}#eno", with: "\u{1}\0\0\0\u{3}one").utf8
        )
        #expect(former != now)
        #expect(SelectionPart.concealing(former, credentials: CredentialFields(), digest: digest) == now)
        #expect(SelectionPart.concealing(now, credentials: CredentialFields(), digest: digest) == nil)
        for broken in [[1], Array(former.dropLast()), former + [0]] as [[UInt8]] {
            #expect(SelectionPart.concealing(broken, credentials: CredentialFields(), digest: digest) == nil)
        }
        #expect(SelectionPart.all(of: now)?.map(\.name) == ["accept", "cookie", "other", "x-tenant"].map(\.bytes))
    }

    @Test("of a selecting field the value is told if the key has it; of one with a hash only the name")
    func telling() throws {
        let parts = try #require(
            SelectionPart.all(
                of: key(
                    "Accept, X-Tenant, Cookie, Other",
                    [("Accept", "a/b"), ("X-Tenant", "one"), ("Cookie", "id=1")]
                )
            )
        )
        #expect(parts.map { $0.telling(CredentialFields()) } == [.value("a/b".bytes), .hidden, .absent, .hidden])
        let credentials = CredentialFields(names: ["accept".bytes])
        #expect(parts.first?.telling(credentials) == .hidden)
    }

    @Test("names are read from all lines in any case, order and repetition do not matter (C-11.1)")
    func names() {
        let vary = VaryNames(Fields([("Vary", "Foo, ,BAR"), ("vary", "foo,"), ("Vary", "")]))
        #expect(vary.names == ["bar".bytes, "foo".bytes])
        #expect(!vary.isAny)
        #expect(!vary.isEmpty)
        #expect(VaryNames(Fields()).isEmpty)
    }

    @Test("two are equal if the same fields select, however Vary is written; an asterisk is equal to itself alone")
    func equality() {
        func names(_ vary: String) -> VaryNames { VaryNames(Fields([("Vary", vary)])) }
        let (two, star, empty) = (names("Foo, Bar"), names("*"), VaryNames(Fields()))
        #expect(two == names("bar,FOO, foo") && two != names("Foo") && two != names("Foo, Bar, X") && two != empty)
        #expect(star == names("X, *") && star == names("a b") && star != two && star != empty)
        #expect(star.isAny && star.names.isEmpty && !star.isEmpty && empty == names(" ,"))
    }

    @Test(
        "reuse needs all nominated fields equal, others do not matter (C-11.1)",
        arguments: [
            ([("Foo", "1"), ("Bar", "2")], [("bar", "2"), ("X", "y"), ("FOO", "1")], true),
            ([("Foo", "1"), ("Bar", "2")], [("Foo", "1"), ("Bar", "3")], false),
            ([("Foo", "1")], [("Foo", "1"), ("Bar", "2")], false),
            ([("Foo", "1")], [("Foo", "1"), ("Bar", "")], false),
            ([("Foo", "a")], [("Foo", "A")], false),
            ([("Foo", "12")], [("Foo", "1"), ("Bar", "2")], false),
            ([("Foo", "1"), ("Foo", "2")], [("Foo", "2"), ("Foo", "1")], false),
        ] as [([FieldLine], [FieldLine], Bool)]
    )
    func matching(stored: [FieldLine], presented: [FieldLine], matches: Bool) {
        #expect((key("Foo, Bar", stored) == key("Foo, Bar", presented)) == matches)
    }

    @Test(
        "lines are joined and blanks around commas removed, but not inside quotes (C-11.3)",
        arguments: [
            ([("Foo", "1, 2")], [("Foo", "1,2")], true), ([("Foo", "1"), ("Foo", "2")], [("Foo", "1 ,\t2")], true),
            ([("Foo", "\"a, b\"")], [("Foo", "\"a,b\"")], false), ([("Foo", "a b")], [("Foo", "ab")], false),
            ([("Foo", "\"a\\\", b\"")], [("Foo", "\"a\\\",b\"")], false), ([("Foo", "a  b")], [("Foo", "a b")], false),
        ] as [([FieldLine], [FieldLine], Bool)]
    )
    func blanks(stored: [FieldLine], presented: [FieldLine], matches: Bool) {
        #expect((key("Foo", stored) == key("Foo", presented)) == matches)
    }

    @Test(
        "lists with weights match in any order of equal weight (C-11.4)",
        arguments: [
            ("Accept-Language", "en, de", "de, en", true), ("Accept-Language", "EN, De", "de,en", true),
            ("Accept-Language", "en;q=0.5, de", "de, en ; q=0.500", true),
            ("Accept-Language", "en;q=1.0, de", "de, en", true), ("Accept-Language", "en;q=0.5, de", "en, de", false),
            ("Accept-Language", "en;q=0.5, de", "de;q=0.5, en", false), ("Accept-Language", "en", "en, de", false),
            ("Accept-Language", "en;q=x, de", "de, en;q=x", false),
            ("Accept-Language", "en;q=, de", "de, en;q=", false),
            ("Accept-Language", "en;q=1.001, de", "de, en;q=1.001", false),
            ("Accept-Language", "en;q=0.1000, de", "de, en;q=0.1000", false),
            ("Accept-Language", "en;q=2, de", "de, en;q=2", false),
            ("Accept-Language", "en;q=01, de", "de, en;q=01", false),
            ("Accept-Language", "en;q=0.1;a, de", "de, en;q=0.1;a", false),
            ("Accept-Language", "en;Q=0.123, de;q=0.", "de;q=0,en;q=.123", false),
            ("Accept-Language", "en;Q=0.123, de;q=0.", "de;q=0,en;q=0.123", true),
            ("Accept-Encoding", "gzip, br", "BR,gzip", true),
            ("Accept-Encoding", "gzip;q=0", "gzip", false),
            ("Accept", "text/html, */*;q=0.1", "*/*;q=0.1,TEXT/html", true),
            ("Accept", "a/b;c=D", "a/b;c=d", false), ("Accept", "a/b;c=\"x, y\"", "y\", a/b;c=\"x", false),
            ("Accept-Language", "de-AT, de;q=0.9, en;q=0.8", "de-at,en;q=0.8,de;q=0.9", true),
        ] as [(String, String, String, Bool)]
    )
    func weights(name: String, stored: String, presented: String, matches: Bool) {
        #expect((key(name, [(name, stored)]) == key(name, [(name, presented)])) == matches)
    }

    @Test("the key has no joints that values could imitate (H-117)")
    func joints() {
        #expect(key("A, B", [("A", "1\u{0}b"), ("B", "2")]) != key("A, B", [("A", "1"), ("B", "b2")]))
        #expect(key("A", [("A", "1")]) != key("B", [("B", "1")]))
        #expect(key("", []).isEmpty)
    }

    @Test("a selecting credential stands in the key only as its digest (C-20.1)")
    func credentialDigest() {
        let selection = key("Authorization, User-Agent", [("Authorization", "secret"), ("User-Agent", "plain")])
        let text = String(decoding: selection, as: UTF8.self)
        #expect(text.contains("#terces") && !text.contains("secret") && text.contains("plain"))
    }

    // MARK: Credentials

    private let credentials = CredentialFields()

    @Test("the kinds of credential are told (C-20.1)")
    func presence() {
        #expect(credentials.presence(in: Fields([("Accept", "x"), ("X-Foo", "y")])).isEmpty)
        #expect(credentials.presence(in: Fields([("cookie", "a=b")])) == .cookie)
        #expect(credentials.presence(in: Fields([("authorization", "x")])) == .authorization)
        #expect(credentials.presence(in: Fields([("x-api-KEY", "x")])) == .authorization)
        #expect(
            credentials.presence(in: Fields([("Ocp-Apim-Subscription-Key", "x"), ("Cookie", "")])) == [
                .authorization, .cookie,
            ]
        )
    }

    @Test("further fields can be named (C-20.1)")
    func configuredNames() {
        let own = CredentialFields(names: ["X-Mine".bytes, "Cookie".bytes])
        #expect(own.presence(in: Fields([("x-mine", "1")])) == .authorization)
        #expect(own.presence(in: Fields([("X-Api-Key", "1")])).isEmpty)
        #expect(own.contains("x-mine".bytes) && own.contains("cookie".bytes) && own.contains("authorization".bytes))
    }

    @Test("a field that is known by number can be named, too (C-20.1)", arguments: ["Referer", "Proxy-Authorization"])
    func configuredKnownName(name: String) throws {
        _ = try #require(KnownField(name: name.bytes))
        let own = CredentialFields(names: [name.bytes])
        let fields = Fields([(name, "1")])
        #expect(own.presence(in: fields) == .authorization)
        #expect(own.text(of: fields, includingCookie: false) != nil)
        #expect(credentials.presence(in: fields).isEmpty)
    }

    @Test("P1 leaves Cookie out, P2 has it, a request without credential has neither (C-20.1)")
    func partitionTexts() {
        let both = Fields([("Cookie", "a=b"), ("Authorization", "x")])
        let first = credentials.text(of: both, includingCookie: false)
        #expect(first == credentials.text(of: Fields([("Authorization", "x")]), includingCookie: true))
        #expect(first != credentials.text(of: both, includingCookie: true))
        #expect(credentials.text(of: Fields([("Cookie", "a=b")]), includingCookie: false) == nil)
        #expect(credentials.text(of: Fields([("Accept", "x")]), includingCookie: true) == nil)
    }

    @Test(
        "prefixes, case, blanks and another field of the same value are other credentials (H-115)",
        arguments: [
            [("Authorization", "Bearer a")], [("Authorization", "Bearer A")], [("Authorization", "Bearer  a")],
            [("Authorization", "Bearer aa")], [("X-Api-Key", "Bearer a")], [("Authorization", "")],
            [("Authorization", "Bearer a"), ("X-Api-Key", "")],
        ] as [[FieldLine]]
    )
    func otherCredentials(lines: [FieldLine]) {
        let one = credentials.text(of: Fields([("Authorization", "Bearer b")]), includingCookie: true)
        let other = credentials.text(of: Fields(lines), includingCookie: true)
        #expect(one != other)
        #expect(other != nil)
    }

    @Test("all those are different from each other; the order and spelling of names is none of the credential (H-115)")
    func distinctCredentials() {
        let lines: [[FieldLine]] = [
            [("Authorization", "Bearer a")], [("Authorization", "Bearer A")], [("Authorization", "Bearer  a")],
            [("X-Api-Key", "Bearer a")], [("Authorization", "Bearer a"), ("X-Api-Key", "")],
            [("X-Api-Key", "ab"), ("Api-Key", "c")], [("X-Api-Key", "a"), ("Api-Key", "bc")],
        ]
        let texts = Set(lines.compactMap { credentials.text(of: Fields($0), includingCookie: true) })
        #expect(texts.count == lines.count)
        let one = Fields([("X-Api-Key", "1"), ("Authorization", "2")])
        let other = Fields([("AUTHORIZATION", "2"), ("x-api-key", "1")])
        #expect(credentials.text(of: one, includingCookie: true) == credentials.text(of: other, includingCookie: true))
    }
}
