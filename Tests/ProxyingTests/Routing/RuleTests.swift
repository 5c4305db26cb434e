import HTTPCaching
import HTTPCore
import Proxying
import ResourceCore
import ResourceModel
import TestSupport
import Testing

/// Rules over sockets: which resource a request is for, and what is stored of it.
@Suite("Rules")
struct RuleTests {
    private static func origin() -> RecordingOrigin {
        TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=60", content: "hello") }
    }

    private static func dropping(_ names: [String], sorts: Bool? = nil, on proxy: TestProxy) throws {
        let rule = QueryRule(try URLGlob("**").relative(to: nil), dropping: names, sorts: sorts)
        proxy.service.reconfigure { $0.queryRules = [rule] }
    }

    @Test("drop-query is the resource's identity on every route, and what goes upstream")
    func dropQuery() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        try Self.dropping(["utm_*"], on: proxy)
        #expect(proxy.ask(origin.url("/x?utm_a=1&b=2"))?.content == "hello")
        #expect(proxy.ask("/" + origin.url("/x?b=2&utm_c"))?.isHit == true)
        #expect(proxy.ask(origin.url("/x?b=2"))?.isHit == true)
        #expect(proxy.ask(origin.url("/x?utm_a=2&b=2"), "Cache-Control: max-stale")?.isHit == true)
        #expect(proxy.perform("HEAD", origin.url("/x?utm_a=2&b=2"))?.isHit == true)
        #expect(origin.requests.map(\.target) == ["/x?b=2"])
        // Requests past the core go the same way.
        #expect(proxy.perform("POST", origin.url("/x?utm_a=1"), content: "c")?.status == 200)
        #expect(origin.requests.last?.target == "/x")
    }

    @Test("sort-query makes one resource of one set of parameters")
    func sortQuery() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        try Self.dropping([], sorts: true, on: proxy)
        #expect(proxy.ask(origin.url("/x?b=2&a=1"))?.isHit == false)
        #expect(proxy.ask(origin.url("/x?a=1&b=2"))?.isHit == true)
        #expect(origin.requests.map(\.target) == ["/x?a=1&b=2"])
    }

    @Test("without such a rule a query goes as it was sent, byte by byte")
    func asSent() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        _ = proxy.ask(origin.url("/x?b=%7e&&a=1+2&"))
        #expect(origin.requests.map(\.target) == ["/x?b=%7e&&a=1+2&"])
    }

    @Test("an unsafe request invalidates the resource its URI stands for")
    func invalidation() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        try Self.dropping(["utm_*"], on: proxy)
        _ = proxy.ask(origin.url("/x"))
        _ = proxy.perform("PUT", origin.url("/x?utm_a=1"), content: "c")
        #expect(proxy.ask(origin.url("/x"))?.isHit == false)
    }

    @Test("a rule's lifetime counts with the next request, also for what the fast path has served before")
    func lifetime() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        _ = proxy.ask(origin.url("/x"))
        #expect(proxy.ask(origin.url("/x"))?.isHit == true)
        proxy.service.configure { $0.caching.rules = [CachingRule(name: "r", ttlSeconds: 0)] }
        #expect(proxy.ask(origin.url("/x"))?.isHit == false)
        proxy.service.reconfigure { $0.configure { $0.caching.rules = [CachingRule(name: "r", ttlSeconds: 5000)] } }
        // What is held is older than that origin's answer, and fresh again all the same.
        let hit = try #require(proxy.ask(origin.url("/x")))
        #expect(hit.isHit && (hit.cacheStatus.contains("ttl=5000") || hit.cacheStatus.contains("ttl=499")), "\(hit)")
        #expect(origin.requests.count == 2)
    }

    @Test("never-cache passes, and says so")
    func neverCache() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        _ = proxy.ask(origin.url("/x"))
        proxy.service.configure { $0.caching.rules = [CachingRule(name: "r", neverCache: true)] }
        for _ in 0..<2 {
            let reply = try #require(proxy.ask(origin.url("/x")))
            #expect(reply.content == "hello" && reply.cacheStatus.contains("fwd=bypass"))
            #expect(
                reply.cacheStatus.contains("detail=\"never-cache\"") || reply.cacheStatus.contains("detail=never-cache")
            )
        }
        #expect(origin.requests.count == 3)
    }
}
