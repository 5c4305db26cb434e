import Configurations
import Exchanges
import HTTPCore
import Proxying
import ResourceCore
import Testing
import TestSupport

/// PURGE, BAN and REFRESH.
@Suite struct CommandTests {
    private static func origin() -> RecordingOrigin {
        TestOrigin.answering { request in
            guard request["If-None-Match"].isEmpty else { return "HTTP/1.1 304 Not Modified\r\nETag: \"v\"\r\n\r\n" }
            return response("200 OK", "Cache-Control: max-age=60", "ETag: \"v\"", content: "hello")
        }
    }

    private static func proxy(_ change: (inout TestProxy.Setup) -> Void = { _ in }) throws -> TestProxy {
        try TestProxy { setup in
            setup.options.mayCommand = { _ in true }
            setup.recentRequests = 10
            change(&setup)
        }
    }

    @Test("PURGE drops what is stored, and tells how much that was")
    func purge() throws {
        let (origin, proxy) = (Self.origin(), try Self.proxy())
        let url = origin.url("/x")
        #expect(proxy.ask(url)?.status == 200)
        for count in [1, 0] {
            let reply = try #require(proxy.perform("PURGE", url))
            #expect(reply.status == 200 && reply.content == "{\"purged\":\(count)}\n")
            #expect(reply["Content-Type"] == ["application/json"] && reply["Cache-Control"] == ["no-store"])
        }
        #expect(proxy.ask(url)?.isHit == false)
        #expect(proxy.recentRequests()?.records.map(\.outcome) == ["miss", "command", "command", "miss"])
    }

    @Test("BAN has the next request validate what is stored")
    func ban() throws {
        let (origin, proxy) = (Self.origin(), try Self.proxy())
        let url = origin.url("/x")
        #expect(proxy.ask(url)?.status == 200)
        #expect(proxy.perform("BAN", url)?.content == "{\"invalidated\":true}\n")
        #expect(proxy.ask(url)?.content == "hello")
        #expect(origin.requests.last?["If-None-Match"] == ["\"v\""])
    }

    private static func prompt(_ reply: AnsweringProvider.Reply) throws -> TestProxy {
        try AnsweringProvider.proxy({ $0.options.mayCommand = { _ in true } }) { request in
            request.fields.contains(.ifNoneMatch)
                ? reply : .response(200, [("Cache-Control", "max-age=60"), ("ETag", "\"v\"")], "hello")
        }
    }

    @Test("REFRESH loads anew, or finds that nothing has changed")
    func refresh() throws {
        let proxy = try Self.prompt(.response(304, [("ETag", "\"v\"")], ""))
        for result in ["newData", "notModified"] {
            let reply = try #require(proxy.perform("REFRESH", "http://o.example/x"))
            #expect(reply.status == 200 && reply.content == "{\"loaded\":\"\(result)\"}\n")
        }
        let hit = proxy.ask("http://o.example/x")
        #expect(hit?.isHit == true && hit?.content == "hello")
    }

    @Test("a REFRESH that fails is 502 and says why")
    func failure() throws {
        let proxy = try Self.prompt(.failure(ExchangeFailure(.connectionRefused, "it refuses")))
        #expect(proxy.perform("REFRESH", "http://o.example/x")?.status == 200)
        let reply = try #require(proxy.perform("REFRESH", "http://o.example/x"))
        #expect(reply.status == 502 && reply.content.contains("the resource could not be loaded: it refuses"))
    }

    @Test("a command is for listed clients, has no content, and needs the origin only to refresh")
    func refused() throws {
        let origin = Self.origin()
        let others = try Self.proxy { $0.options.mayCommand = { _ in false } }
        let proxy = try Self.proxy()
        for method in ["PURGE", "BAN", "REFRESH"] {
            let reply = try #require(others.perform(method, origin.url("/x")))
            #expect(reply.status == 403 && reply.content.contains("access.command-clients"), "\(method)")
            let content = try #require(proxy.perform(method, origin.url("/x"), content: "x"))
            #expect(content.status == 400 && content.content.contains("has no content"), "\(method)")
        }
        let offline = try Self.proxy { $0.service.mode = .offline }
        let statuses = ["PURGE", "BAN", "REFRESH"].map { offline.perform($0, origin.url("/x"))?.status }
        #expect(statuses == [200, 200, 504])
        #expect(origin.requests.isEmpty)
    }
}
