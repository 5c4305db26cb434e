import HTTPCore
import Proxying
import ResourceCore
import Testing
import Transforms
import TestSupport

/// Responses to unsafe methods wait until what they make invalid is marked at rest.
@Suite struct DurableInvalidationTests {
    private let store = MarkingStore()

    private func proxy(markingTime: Duration = .seconds(3600)) throws -> TestProxy {
        try TestProxy { setup in
            setup.store = store
            setup.options.markingTime = markingTime
        }
    }

    /// The loop has done by then what it was told before.
    private func turn(_ proxy: TestProxy, _ origin: RecordingOrigin) {
        #expect(proxy.ask(origin.url("/other")) != nil)
    }

    @Test(
        "a success is passed on once everything that it makes invalid is marked at rest (C-15.1, C-21.8)",
        arguments: ["POST", "PUT", "DELETE", "PATCH", "FROB"]
    )
    func waits(method: String) throws {
        let origin = TestOrigin.answering { request in
            request.method == "GET"
                ? response("200 OK", "Cache-Control: no-store", content: "page")
                : response("201 Created", "Location: /b", "Content-Location: /c", content: "made")
        }
        let proxy = try proxy()
        let client = proxy.client()
        client.send(proxy.request(method, origin.url("/a"), content: "x"))
        let marks = (0..<3).compactMap { _ in store.marks.pop() }
        #expect(Set(marks.map(\.uri.text)) == Set(["/a", "/b", "/c"].map(origin.url)))
        for mark in marks {
            turn(proxy, origin)
            #expect(!client.hasReceived)
            mark.end(true)
        }
        let reply = try #require(ReplyReader(client).next())
        #expect(reply.status == 201 && reply.content == "made")
    }

    @Test("content that has come meanwhile follows in order, and the rest is streamed (C-15.1)")
    func content() throws {
        let mayEnd = WaitQueue<Void>()
        let hasBegun = WaitQueue<Void>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n")
            hasBegun.push(())
            _ = mayEnd.pop()
            peer.send("5\r\nthree\r\n0\r\nX-Trailer: 1\r\n\r\n")
        }
        let proxy = try proxy()
        let client = proxy.client()
        client.send(proxy.request("DELETE", "http://127.0.0.1:\(origin.port)/"))
        _ = hasBegun.pop()
        store.marks.pop()?.end(true)
        let text = client.receive { $0.contains("two") }
        #expect(text.hasPrefix("HTTP/1.1 200") && text.content.contains("one") && !text.contains("three"))
        mayEnd.push(())
        #expect(client.receive(until: "\r\n\r\n").contains("three"))
    }

    @Test(
        "a store that cannot mark now does not keep a response for ever (C-15.1)",
        arguments: [true, false]
    )
    func time(isTold: Bool) throws {
        let origin = TestOrigin.answering { _ in response("204 No Content") }
        let proxy = try proxy(markingTime: .milliseconds(20))
        let client = proxy.client()
        client.send(proxy.request("DELETE", origin.url("/")))
        let mark = try #require(store.marks.pop())
        if isTold { mark.end(false) }
        #expect(ReplyReader(client).next()?.status == 204)
        // What comes too late changes nothing.
        if !isTold { mark.end(true) }
        #expect(proxy.perform("DELETE", origin.url("/"))?.status == 204)
    }

    @Test(
        "what changes nothing waits for nothing (C-15.1)",
        arguments: [("DELETE", "409 Conflict"), ("OPTIONS", "200 OK")]
    )
    func nothingToMark(_ method: String, _ status: String) throws {
        let origin = TestOrigin.answering { _ in response(status, content: "x") }
        #expect(try proxy().perform(method, origin.url("/"))?.content == "x")
    }

    @Test("a response that fails behind its head is cut all the same (C-15.1)")
    func cut() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
        }
        let proxy = try proxy()
        let client = proxy.client()
        client.send(proxy.request("DELETE", "http://127.0.0.1:\(origin.port)/"))
        store.marks.pop()?.end(true)
        let (text, end) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 200") && text.content == "12345" && end != .timeout)
    }

    @Test("a client that leaves while its response waits takes nothing with it (C-15.1)")
    func gone() throws {
        let origin = TestOrigin.answering { _ in response("204 No Content") }
        let proxy = try proxy()
        var client: RawClient? = proxy.client()
        client?.send(proxy.request("DELETE", origin.url("/")))
        let mark = try #require(store.marks.pop())
        client?.resetOnClose()
        client = nil
        turn(proxy, origin)
        mark.end(true)
        turn(proxy, origin)
    }

    @Test("the response to a POST that is stored waits for the mark, too, and answers from then on (C-9.1, C-15.1)")
    func storedPost() throws {
        let origin = TestOrigin.answering { request in
            response("200 OK", "Content-Location: /a", "Cache-Control: max-age=600", content: request.method)
        }
        let proxy = try proxy()
        let client = proxy.client()
        client.send(proxy.request("POST", origin.url("/a"), content: "x"))
        let mark = try #require(store.marks.pop())
        #expect(mark.uri.text == origin.url("/a"))
        turn(proxy, origin)
        #expect(!client.hasReceived)
        mark.end(true)
        #expect(ReplyReader(client).next()?.content == "POST")
        let hit = proxy.ask(origin.url("/a"))
        #expect(hit?.isHit == true && hit?.content == "POST")
    }

    @Test("what has waited is transformed as if it had not (C-15.1, H-146)")
    func transformed() throws {
        let origin = TestOrigin.answering { _ in response("200 OK", content: "abc") }
        let proxy = try TestProxy { setup in
            setup.store = store
            setup.service.pipeline.add(PipelineStep(Rewriting("suffix", "1") { $0 + Array("!".utf8) }), to: .model)
        }
        let client = proxy.client()
        client.send(proxy.request("POST", origin.url("/"), content: "x"))
        let mark = try #require(store.marks.pop())
        // Its end has come by then.
        turn(proxy, origin)
        mark.end(true)
        #expect(ReplyReader(client).next()?.content == "abc!")
    }
}
