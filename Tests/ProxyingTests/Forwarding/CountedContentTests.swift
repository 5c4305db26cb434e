import TestSupport
import Testing

/// The bytes of content that clients get, counted by where they come from.
@Suite struct CountedContentTests {
    /// Sends one request and waits for the end of its connection; returns the bytes from the origin and from the cache.
    private static func counts(_ proxy: TestProxy, _ method: String, _ url: String, _ fields: String...) -> [Int] {
        let client = proxy.client()
        client.send(proxy.request(method, url, fields + ["Connection: close"]))
        #expect(client.receiveAll().text.hasPrefix("HTTP/1.1 20"))
        // They are counted in the same turn of the loop in which the response ends.
        proxy.change { _ in }
        return [proxy.metrics.originBytes.value, proxy.metrics.cachedBytes.value]
    }

    @Test("content is counted once: as the origin's if it was loaded, as the cache's if it was stored")
    func sources() throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "Cache-Control: max-age=600", content: "0123456789")
        }
        let proxy = try TestProxy()
        let url = origin.url("/x")
        #expect(Self.counts(proxy, "GET", url) == [10, 0])
        // Another answer than the prepared one.
        #expect(Self.counts(proxy, "GET", url, "Cache-Control: max-age=500") == [10, 10])
        #expect(Self.counts(proxy, "GET", url, "Range: bytes=2-4") == [10, 13])
        #expect(Self.counts(proxy, "HEAD", url) == [10, 13])
        #expect(origin.requests.count == 1)
    }

    @Test("of a response that breaks off what was sent is counted")
    func broken() throws {
        let origin = TestOrigin.answering { _ in
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhalf"
        }
        let proxy = try TestProxy()
        #expect(Self.counts(proxy, "GET", origin.url("/x")) == [4, 0])
    }
}
