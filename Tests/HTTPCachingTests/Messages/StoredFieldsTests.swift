import HTTPCaching
import HTTPCore
import Testing

@Suite("stored fields (RFC 9111 §3.1)")
struct StoredFieldsTests {
    @Test("every field is stored with its order, spelling and repetition (C-14.1)")
    func everything() {
        let lines: [FieldLine] = [
            ("x-B", "2"), ("X-A", "1"), ("Content-Encoding", "zebra"), ("Content-Range", "x"), ("set-cookie", "a=b"),
            ("Set-Cookie", "c=d"), ("x-b", ""), ("Content-Length", "36"), ("Age", "5"),
        ]
        #expect(StoredFields.storing(Fields(lines)).text == Fields(lines).text)
    }

    @Test("the connection's own fields and Warning are not stored (C-14.2, H-072, C-21.2)")
    func connectionFields() {
        let fields = Fields([
            ("Connection", "close, X-Foo"), ("X-Foo", "1"), ("Keep-Alive", "timeout=5"), ("Proxy-Connection", "close"),
            ("TE", "trailers"), ("Transfer-Encoding", "chunked"), ("Upgrade", "h2c"), ("Proxy-Authenticate", "Basic"),
            ("Proxy-Authentication-Info", "x"), ("Proxy-Authorization", "x"), ("Warning", "110 - stale"),
            ("X-Bar", "2"),
        ])
        #expect(StoredFields.storing(fields).text == ["X-Bar: 2"])
    }

    @Test("Connection is a list over all its lines, names in any case (C-21.10, H-067)")
    func nominated() {
        let fields = Fields([("connection", "a"), ("Connection", " , B ,close"), ("A", "1"), ("b", "2"), ("c", "3")])
        #expect(StoredFields.storing(fields).text == ["c: 3"])
    }

    @Test(
        "Connection does not strip what caching and framing rely on (H-069)",
        arguments: ["Cache-Control", "Set-Cookie", "vary", "AGE", "Content-Length", "ETag", "Date"]
    )
    func protected(name: String) {
        #expect(StoredFields.storing(Fields([("Connection", name), (name, "1")])).text == ["\(name): 1"])
    }

    @Test("fields that private or no-cache name are not reused (C-20.4)")
    func qualified() {
        let fields = Fields([("X-User", "a"), ("Set-Cookie", "b"), ("X-Other", "c"), ("Content-Type", "d")])
        let control = CacheControl(parsing: "private=\"x-user, Content-Type\", no-cache=\"set-cookie\"".bytes)
        #expect(StoredFields.reusing(fields, under: control).text == ["X-Other: c", "Content-Type: d"])
        #expect(StoredFields.reusing(fields, under: CacheControl()).text == fields.text)
    }
}
