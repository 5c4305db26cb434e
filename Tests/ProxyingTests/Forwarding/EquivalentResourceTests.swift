import HTTPCaching
import HTTPCore
import Locking
import Proxying
import ResourceCore
import TestSupport
import Testing

/// Resources that the response to a QUERY names as equivalent (C-24.4).
@Suite struct EquivalentResourceTests {
    private static let lifetime = "Cache-Control: max-age=600"

    /// An origin whose responses to QUERY have these fields.
    private static func origin(_ status: String = "200 OK", _ fields: String...) -> RecordingOrigin {
        let fields = (["X-Origin: ours"] + fields).joined(separator: "\r\n")
        return TestOrigin.answering { request in
            request.method == "QUERY"
                ? response(status, lifetime, "Accept-Query: \"application/jsonpath\"", fields, content: "result")
                : response("200 OK", lifetime, content: request.method)
        }
    }

    @Test(
        "Location, Content-Location and Accept-Query of a QUERY reach each client, from the origin and from the cache"
    )
    func fields() throws {
        let origin = Self.origin("200 OK", "Content-Location: /results/1", "Location: /queries/1")
        let proxy = try TestProxy()
        for isHit in [false, true] {
            let reply = try #require(proxy.perform("QUERY", origin.url("/search"), content: "q"))
            #expect(reply.isHit == isHit && reply.content == "result")
            #expect(reply["Content-Location"] == ["/results/1"] && reply["Location"] == ["/queries/1"])
            #expect(reply["Accept-Query"] == ["\"application/jsonpath\""])
        }
        // It is safe: it invalidates neither its target nor what it names.
        for path in ["/results/1", "/queries/1", "/search"] { #expect(proxy.ask(origin.url(path))?.isHit == false) }
        #expect(proxy.perform("QUERY", origin.url("/search"), content: "other")?.isHit == false)
        for path in ["/results/1", "/queries/1", "/search"] { #expect(proxy.ask(origin.url(path))?.isHit == true) }
    }

    @Test("a GET of an equivalent resource is never answered by the QUERY's response (RFC 9110 §8.7)")
    func get() throws {
        let origin = Self.origin("200 OK", "Content-Location: /results/1")
        let proxy = try TestProxy()
        #expect(proxy.perform("QUERY", origin.url("/search"), content: "q")?.content == "result")
        let reply = proxy.ask(origin.url("/results/1"))
        #expect(reply?.content == "GET" && reply?.isHit == false)
    }

    @Test(
        "an unsafe request to an equivalent resource drops the question, and no other",
        arguments: [("Content-Location", "DELETE"), ("Location", "POST")]
    )
    func unsafe(field: String, method: String) throws {
        let origin = TestOrigin.answering { request in
            request.method == "QUERY"
                ? response("200 OK", Self.lifetime, "\(field): /r/\(request.content)", content: "result")
                : response("200 OK", content: "")
        }
        let proxy = try TestProxy()
        let url = origin.url("/search")
        for content in ["1", "2"] {
            #expect(proxy.perform("QUERY", url, content: content)?.isHit == false)
            #expect(proxy.perform("QUERY", url, content: content)?.isHit == true)
        }
        #expect(proxy.perform(method, origin.url("/r/1"))?.status == 200)
        #expect(proxy.perform("QUERY", url, content: "2")?.isHit == true)
        #expect(proxy.perform("QUERY", url, content: "1")?.isHit == false)
        // The new response names it again.
        #expect(proxy.perform(method, origin.url("/r/1"))?.status == 200)
        #expect(proxy.perform("QUERY", url, content: "1")?.isHit == false)
    }

    @Test("a resource of another origin is not equivalent, nor is what an error or a failed request names")
    func others() throws {
        let other = Self.origin()
        let origin = Self.origin("200 OK", "Content-Location: \(other.url("/r"))")
        let failing = Self.origin("404 Not Found", "Content-Location: /r")
        let proxy = try TestProxy()
        for origin in [origin, failing] {
            #expect(proxy.perform("QUERY", origin.url("/search"), content: "q")?.isHit == false)
        }
        #expect(proxy.perform("DELETE", other.url("/r"))?.status == 200)
        #expect(proxy.perform("DELETE", failing.url("/r"))?.status == 200)
        for origin in [origin, failing] {
            #expect(proxy.perform("QUERY", origin.url("/search"), content: "q")?.isHit == true)
        }
    }

    @Test("of the statuses of a QUERY's responses only those of success name equivalents", arguments: [203, 300])
    func statuses(status: Int) throws {
        let origin = Self.origin("\(status) Other", "Content-Location: /r")
        let proxy = try TestProxy()
        func isHit() -> Bool? { proxy.perform("QUERY", origin.url("/search"), content: "q")?.isHit }
        #expect(isHit() == false && isHit() == true)
        #expect(proxy.perform("DELETE", origin.url("/r"))?.status == 200)
        #expect(isHit() == (status == 300))
    }

    @Test("on the route of the prefix gateway both fields lead to us, from the origin and from the cache")
    func gateway() throws {
        let origin = Self.origin("200 OK", "Content-Location: ?page=2", "Location: next")
        let proxy = try TestProxy()
        let target = "/\(origin.url("/a/search"))"
        for isHit in [false, true] {
            let reply = try #require(proxy.perform("QUERY", target, content: "q"))
            #expect(reply.isHit == isHit)
            #expect(reply["Content-Location"] == ["\(target)?page=2"])
            #expect(reply["Location"] == ["/\(origin.url("/a/next"))"])
        }
    }

    @Test("a redirect of a QUERY passes to the client, which follows it (RFC 10008 §2.5)", arguments: ["303", "307"])
    func redirect(status: String) throws {
        let origin = Self.origin("\(status) Elsewhere", "Location: /results/1")
        let proxy = try TestProxy()
        let reply = proxy.perform("QUERY", origin.url("/search"), content: "q")
        #expect(reply?.status == Int(status) && reply?["Location"] == ["/results/1"])
        #expect(origin.requests.map(\.method) == ["QUERY"])
    }
}
