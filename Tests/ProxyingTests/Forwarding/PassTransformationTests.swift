import Dispatch
import ResourceCore
import TestDoubles
import TestSupport
import Testing
import Transforms

/// Responses that pass the core through a pipeline, and break off.
@Suite struct PassTransformationTests {
    private static func proxy(_ transformer: ScriptedTransformer) throws -> TestProxy {
        try TestProxy { $0.service.pipeline.add(PipelineStep(transformer), to: .model) }
    }

    private static func request(_ method: String, _ origin: TestOrigin, _ proxy: TestProxy) -> String {
        let fields = ["Cache-Control: no-store", "Connection: close"]
        return proxy.request(method, "http://127.0.0.1:\(origin.port)/", fields)
    }

    @Test(
        "a break before the transformed head is told like one without a pipeline (C-24.1)",
        arguments: ["GET", "POST"]
    )
    func isTold(_ method: String) throws {
        let origin = TestOrigin { peer, _ in
            guard peer.readHead() != nil else { return }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
        }
        let proxy = try Self.proxy(.suffix("!"))
        let client = proxy.client()
        client.send(Self.request(method, origin, proxy))
        let (text, _) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 502 "))
        let forward = method == "GET" ? "bypass" : "method"
        #expect(text.contains("Cache-Status: respite; fwd=\(forward); detail=http_response_incomplete\r\n"))
        #expect(text.ranges(of: "HTTP/1.1 ").count == 1)
    }

    @Test(
        "content that passes counts as the origin's once: as it is sent, if it is transformed",
        arguments: [("", "abc!"), ("Cache-Control: no-transform\r\n", "abc")]
    )
    func isCounted(_ field: String, _ content: String) throws {
        let origin = TestOrigin { peer, _ in
            guard peer.readHead() != nil else { return }
            peer.send("HTTP/1.1 200 OK\r\n\(field)Content-Length: 3\r\n\r\nabc")
        }
        let proxy = try Self.proxy(.suffix("!"))
        let client = proxy.client()
        client.send(Self.request("POST", origin, proxy))
        #expect(client.receiveAll().0.contains(content))
        #expect(proxy.metrics.originBytes.value == content.utf8.count)
    }

    @Test("a response without content by its status runs through no transformer", arguments: ["GET", "POST"])
    func hasNoContent(_ method: String) throws {
        let origin = TestOrigin.answering { _ in "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n" }
        let transformer = ScriptedTransformer.suffix("!")
        let proxy = try Self.proxy(transformer)
        let client = proxy.client()
        client.send(Self.request(method, origin.origin, proxy))
        let (text, _) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 204 ") && text.hasSuffix("\r\n\r\n"))
        #expect(transformer.counts.finished == 0)
    }

    @Test("a 304 gets the tag of the transformed response; a response that stays as it is keeps its own")
    func tags() throws {
        let validators = "ETag: \"a\"\r\nLast-Modified: Sat, 01 Jan 2000 00:00:00 GMT\r\n"
        let content = "Content-Length: 3\r\n\r\nabc"
        let origin = TestOrigin.answering { request in
            guard request["If-None-Match"] == ["\"a\""] else { return "HTTP/1.1 200 OK\r\n\(validators)\(content)" }
            return request.target == "/same"
                ? "HTTP/1.1 304 Not Modified\r\n\(validators)\r\n"
                : "HTTP/1.1 200 OK\r\nCache-Control: no-transform\r\n\(validators)\(content)"
        }
        let proxy = try Self.proxy(.suffix("!"))
        let first = try #require(proxy.ask(origin.url("/same"), "Cache-Control: no-store"))
        let tag = try #require(first["ETag"].first)
        #expect(first.content == "abc!" && tag.hasPrefix("\"a-"))
        let known = "If-None-Match: \(tag)"
        let same = try #require(proxy.ask(origin.url("/same"), "Cache-Control: no-store", known))
        #expect(same.status == 304 && same["ETag"] == [tag] && same["Last-Modified"] == [])
        let other = try #require(proxy.ask(origin.url("/other"), "Cache-Control: no-store", known))
        #expect(other.status == 200 && other.content == "abc")
        #expect(other["ETag"] == ["\"a\""] && other["Last-Modified"] == ["Sat, 01 Jan 2000 00:00:00 GMT"])
    }

    @Test(
        "what comes before a break is transformed, sent and counted; then the response is cut (H-101)",
        arguments: ["GET", "POST"]
    )
    func isCut(_ method: String) throws {
        let count = 150_000
        let hasBegun = DispatchSemaphore(value: 0)
        let origin = TestOrigin { peer, _ in
            guard peer.readHead() != nil else { return }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(count + 4)\r\n\r\nabc")
            hasBegun.wait()
            peer.send([UInt8](repeating: 0x78, count: count))
        }
        let proxy = try Self.proxy(.upper)
        let client = proxy.client()
        client.send(Self.request(method, origin, proxy))
        let begin = client.receive(until: "ABC\r\n")
        hasBegun.signal()
        let (rest, _) = client.receiveAll()
        #expect(begin.hasPrefix("HTTP/1.1 200 "))
        #expect(rest.count { $0 == "X" } == count)
        #expect(!rest.hasSuffix("0\r\n\r\n"))
        // It is counted in the same turn of the loop in which the response is cut.
        proxy.change { _ in }
        #expect(proxy.metrics.originBytes.value == count + 3)
    }
}
