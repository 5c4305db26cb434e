import Testing
import TestSupport

/// Tags and groups of responses, between clients and origins (C-24.3).
@Suite("Tags") struct TagTests {
    private static let tags = ["Surrogate-Key: a", "Cache-Tag: b", "xkey: c"]

    private static func origin(
        _ lines: [String],
        unsafe: @escaping @Sendable () -> String = { response() }
    ) -> RecordingOrigin {
        TestOrigin.answering { request in
            guard request.method == "GET" else { return unsafe() }
            let fields = ["Cache-Control: max-age=600"] + lines
            return (["HTTP/1.1 200 OK", "Content-Length: 4"] + fields).joined(separator: "\r\n") + "\r\n\r\npage"
        }
    }

    private static func has(_ reply: Reply?, _ names: String...) -> [Bool] {
        names.map { name in reply?[name].isEmpty == false }
    }

    @Test("clients get no tags for caches, on a miss and on a hit; Cache-Groups they get (C-24.3)")
    func removed() throws {
        let origin = Self.origin(Self.tags + ["Cache-Groups: \"g\""])
        let proxy = try TestProxy()
        for isHit in [false, true] {
            let reply = proxy.ask(origin.url("/a"))
            #expect(reply?.isHit == isHit && reply?.content == "page")
            #expect(
                Self.has(reply, "surrogate-key", "cache-tag", "xkey", "cache-groups") == [false, false, false, true]
            )
        }
    }

    @Test("a response that is not stored is passed as it is: a cache behind may want its tags (C-24.3)")
    func passed() throws {
        let origin = Self.origin(Self.tags + ["Cache-Control: no-store"])
        let proxy = try TestProxy()
        #expect(Self.has(proxy.ask(origin.url("/a")), "surrogate-key", "cache-tag", "xkey") == [true, true, true])
        let other = Self.origin([]) { response("200 OK", "Surrogate-Key: a") }
        #expect(Self.has(proxy.perform("POST", other.url("/a"), content: "x"), "surrogate-key") == [true])
    }

    /// Which of the pages are hits after an unsafe request with this response.
    private static func hitsLeft(
        _ method: String = "POST",
        status: String = "200 OK",
        invalidating groups: String
    ) throws -> [String] {
        let origin = TestOrigin.answering { request in
            guard request.method == "GET" else {
                return response(status, "Cache-Group-Invalidation: \(groups)")
            }
            let group = String(request.target.suffix(1))
            return response("200 OK", "Cache-Control: max-age=600", "Cache-Groups: \"\(group)\"", content: "page")
        }
        let proxy = try TestProxy()
        for page in ["/a", "/b"] { #expect(proxy.ask(origin.url(page))?.status == 200) }
        _ = proxy.perform(method, origin.url("/change"), content: method == "GET" ? "" : "x")
        return ["/a", "/b"].filter { proxy.ask(origin.url($0))?.isHit == true }
    }

    @Test(
        "the response to an unsafe request drops the groups that it names (C-24.3)",
        arguments: ["POST", "PUT", "DELETE"]
    )
    func invalidated(method: String) throws {
        #expect(try Self.hitsLeft(method, invalidating: "\"a\", \"x\"") == ["/b"])
        #expect(try Self.hitsLeft(method, invalidating: "\"a\", \"b\"") == [])
    }

    @Test("an invalid field, an error, and the response to a safe method drop nothing (C-24.3)")
    func ignored() throws {
        #expect(try Self.hitsLeft(invalidating: "a, \"b\"") == ["/a", "/b"])
        #expect(try Self.hitsLeft(invalidating: "\"A\"") == ["/a", "/b"])
        #expect(try Self.hitsLeft(status: "409 Conflict", invalidating: "\"a\"") == ["/a", "/b"])
        #expect(try Self.hitsLeft("OPTIONS", invalidating: "\"a\"") == ["/a", "/b"])
    }

    @Test("an origin does not reach the groups of another, whatever it names (C-24.3)")
    func otherOrigin() throws {
        let victim = Self.origin(["Cache-Groups: \"g\"", "Surrogate-Key: g"])
        let attacker = Self.origin([]) {
            response("200 OK", "Cache-Group-Invalidation: \"g\", \"http://127.0.0.1\", \"*\"", "Cache-Groups: \"g\"")
        }
        let proxy = try TestProxy()
        #expect(proxy.ask(victim.url("/a"))?.status == 200)
        #expect(proxy.perform("POST", attacker.url("/a"), content: "x")?.status == 200)
        #expect(proxy.ask(victim.url("/a"))?.isHit == true)
    }

    @Test("an origin that sends 10,000 tags, and bytes that are none, is served like others (C-24.3, H-158)")
    func many() throws {
        let many = (0..<3000).map { "k\($0)" }.joined(separator: " ")
        let origin = Self.origin(["Surrogate-Key: \(many)", "Cache-Tag: \u{FF}\u{80},,,", "Cache-Groups: \"\u{E9}\""])
        let proxy = try TestProxy()
        for isHit in [false, true] { #expect(proxy.ask(origin.url("/a"))?.isHit == isHit) }
    }
}
