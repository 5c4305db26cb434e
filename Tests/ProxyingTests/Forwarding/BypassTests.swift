import HTTPCore
import TestSupport
import Testing

@testable import Proxying

/// A listener whose requests all go past the store.
struct BypassTests {
    @Test("past the store every request reaches the provider, however fresh a response is, and none is stored")
    func bypass() throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "Cache-Control: max-age=60", "Content-Location: /x", content: "hello")
        }
        let proxy = try TestProxy { $0.options.bypassesStore = true }
        let reader = proxy.reader()
        for method in ["GET", "POST", "GET", "PURGE"] {
            let reply = try #require(reader.ask(proxy.request(method, origin.url("/x"), ["Content-Length: 0"])))
            #expect(reply.status == 200 && reply.cacheStatus.contains("fwd=bypass"), "\(reply)")
            #expect(reply.cacheStatus.contains("detail=cassette"), "\(reply)")
        }
        #expect(origin.requests.count == 4)
    }

    @Test("requests to read that have content, and requests to do something, go past the store with their reason")
    func reasons() throws {
        let origin = TestOrigin.answering { request in
            response("200 OK", "Cache-Control: max-age=60", content: request.content)
        }
        let proxy = try TestProxy()
        for (method, reason) in [
            ("GET", "fwd=bypass; fwd-status=200; detail=request-content"), ("PUT", "fwd=method; fwd-status=200"),
        ] {
            for _ in 0..<2 {
                let reply = try #require(proxy.perform(method, origin.url("/x"), content: "abc"))
                #expect(reply.status == 200 && reply.content == "abc")
                #expect(reply["Cache-Status"] == ["respite; \(reason)"])
            }
        }
        #expect(origin.requests.map(\.method) == ["GET", "GET", "PUT", "PUT"])
    }
}
