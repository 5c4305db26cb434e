import HTTPCore
import Testing

@Suite("Cache-Status and Proxy-Status")
struct StatusFieldTests {
    @Test("a Cache-Status member has the outcome and its parameters (C-24.1)")
    func cacheStatus() {
        #expect(CacheStatus(.hit, ttl: 60).text == "respite; hit; ttl=60")
        #expect(
            CacheStatus(.forwarded(.uriMiss), forwardStatus: 200, isStored: true, isCollapsed: true).text
                == "respite; fwd=uri-miss; fwd-status=200; stored; collapsed"
        )
        #expect(
            CacheStatus(.none, key: latin("http://a.example/\"\u{e9}"), detail: "only if cached").text
                == "respite; key=\"http://a.example/\\\"?\"; detail=\"only if cached\""
        )
        #expect(CacheStatus(.hit, detail: "offline").text == "respite; hit; detail=offline")
    }

    @Test(
        "a request asks for the key by name (C-24.1)",
        arguments: [
            ("respite; key", true), ("other; key, respite;key", true), ("respite; ttl; key", true), ("respite", false),
            ("other; key", false), ("respite; keys", false), ("key", false), ("", false),
        ]
    )
    func askedKey(value: String, isAsked: Bool) {
        var fields = Fields()
        fields.append(.cacheStatus, value)
        #expect(CacheStatus.asksForKey(fields) == isAsked)
    }

    @Test("a Proxy-Status member has the error and its parameters (C-24.2)")
    func proxyStatus() {
        #expect(
            ProxyStatus(error: .httpRequestError, details: ParseError(.missingHost).userMessage).text
                == "respite; error=http_request_error; details=\"The Host field is missing.\""
        )
        #expect(
            ProxyStatus(error: .dnsError, nextHop: latin("a.example"), receivedStatus: 502).text
                == "respite; error=dns_error; next-hop=\"a.example\"; received-status=502"
        )
    }
}
