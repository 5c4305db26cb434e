import Proxying
import Testing

/// What clients are told of requests that go nowhere.
@Suite struct RefusedRequestTests {
    @Test(
        "a refusal has its status, its word of RFC 9209 and its sentence; 405 lists the methods that are allowed",
        arguments: [
            (
                "GET", "Via: 1.0 a, 1.1 respite-test", 508, "proxy_loop_detected",
                "this request has been here before: a proxy loop; Via names this proxy"
            ),
            (
                "OPTIONS", "Max-Forwards: x", 400, "http_request_denied",
                "Max-Forwards is no number; send digits, or leave it out"
            ),
            (
                "TRACE", "X-Other: y", 405, "http_request_denied",
                "the method TRACE is not allowed here; use GET, or ask the origin directly"
            ),
            (
                "GET", "Cache-Control: only-if-cached", 504, "proxy_internal_response",
                "only-if-cached, and nothing that may be used is stored"
            ),
        ]
    )
    func refusals(method: String, field: String, status: Int, error: String, sentence: String) throws {
        let reply = try #require(try TestProxy().perform(method, "http://a.example/", field))
        #expect(reply.status == status && reply.content.contains("\"detail\":\"\(sentence)\""), "\(reply)")
        #expect(reply["Proxy-Status"].first?.contains("error=\(error)") == true, "\(reply)")
        #expect(reply["Allow"] == (status == 405 ? ["GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"] : []))
    }
}
