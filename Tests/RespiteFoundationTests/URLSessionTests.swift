import Exchanges
import Foundation
import HTTPCore
import ResourceCore
import ResourceModel
import RespiteFoundation
import TestSupport
import Testing

@Suite("Loading by URLSession")
struct URLSessionTests {
    @Test("a service over a URL session loads, with its fields and content as built (S-150)")
    func loading() async throws {
        let origin = AnsweringOrigin { request in
            .init(
                200,
                [("Content-Type", "application/json"), ("X-Method", request.method)],
                #"{"a": "ü"}"#
            )
        }
        let service = Service(
            baseURL: URL(string: origin.url + "/v1"),
            networking: URLSessionNetworking()
        )
        service.configure("**") { $0.headers["X-Key"] = "k" }
        let entity = try await service.resource("item").load().entity
        #expect(entity.jsonDict["a"] as? String == "ü")
        _ = try await service.resource("item").request(.post, text: "grün").entity
        let requests = origin.requests
        #expect(requests.map(\.method) == ["GET", "POST"])
        #expect(requests.first?.target == "/v1/item")
        #expect(requests.first?.fields["x-key"] == "k")
        #expect(requests.last.map { String(decoding: $0.content, as: UTF8.self) } == "grün")
        #expect(requests.last?.fields["content-type"] == "text/plain; charset=utf-8")
    }

    @Test("redirects are relayed, or followed where that is asked for (S-108)")
    func redirects() async throws {
        let origin = AnsweringOrigin { request in
            request.target == "/a"
                ? .init(302, [("Location", "/b"), ("Content-Type", "text/plain")], "go")
                : .init(200, [("Content-Type", "text/plain")], "there")
        }
        let relaying = Service(baseURL: origin.url, networking: URLSessionNetworking())
        #expect(try await relaying.resource("a").load().entity.text == "go")
        let following = Service(
            baseURL: origin.url,
            networking: URLSessionNetworking(redirects: .follow)
        )
        #expect(try await following.resource("a").load().entity.text == "there")
        #expect(origin.requests.map(\.target) == ["/a", "/a", "/b"])
    }

    @Test("nothing is cached below the resources (S-007)")
    func noCache() async throws {
        let fields = [
            ("Content-Type", "text/plain"), ("Cache-Control", "max-age=1000"), ("Set-Cookie", "a=b"),
        ]
        let origin = AnsweringOrigin { _ in .init(200, fields, "x") }
        let service = Service(baseURL: origin.url, networking: URLSessionNetworking())
        for _ in 0..<3 { _ = try await service.resource("a").load().entity }
        #expect(origin.requests.count == 3)
        #expect(origin.requests.allSatisfy { $0.fields["cookie"] == nil })
    }

    @Test("failures of the session are those of a network, with its error; statuses are errors, too (S-156, S-161)")
    func failures() async throws {
        var origin: AnsweringOrigin? = AnsweringOrigin { _ in .init(503, [], "") }
        let service = Service(baseURL: try #require(origin?.url), networking: URLSessionNetworking())
        #expect(await service.resource("a").load().outcome.response.error?.httpStatusCode == 503)
        let port = try #require(origin?.port)
        origin = nil
        let refused = Service(baseURL: "http://127.0.0.1:\(port)", networking: URLSessionNetworking())
        let error = try #require(await refused.resource("b").load().outcome.response.error)
        let cause = try #require(error.cause as? RequestError.Cause.Network)
        #expect(cause.kind == .connectionRefused && cause.underlying is URLError)
        #expect(error.userMessage.hasPrefix("127.0.0.1: ") && !error.userMessage.contains("Domain"))
        #expect(error.localizedDescription == error.userMessage)
    }

    private struct Said: LocalizedError { var errorDescription: String? { "The fee is not paid" } }

    @Test("errors that are localized, and those of the platform, are told in their own words (S-158)")
    func words() {
        _ = URLSessionNetworking()
        #expect(RequestError(cause: Said()).userMessage == "The fee is not paid")
        let native = NSError(domain: "d", code: 7, userInfo: [NSLocalizedDescriptionKey: "The disk is wet"])
        #expect(RequestError(cause: native).userMessage == "The disk is wet")
        #expect(!RequestError(cause: CocoaError(.fileNoSuchFile)).userMessage.contains("Domain="))
        for error in [URLError(.badURL), CocoaError(.fileNoSuchFile), POSIXError(.ENOENT)] as [any Error] {
            let said = error.localizedDescription
            #expect(RequestError(cause: error).userMessage == said.prefix(1).uppercased() + said.dropFirst())
        }
        // Errors of programs have descriptions of their own.
        #expect(
            RequestError(cause: Mute()).userMessage == "mute" && RequestError(cause: Unsaid()).userMessage == "unsaid"
        )
    }

    private struct Mute: LocalizedError, CustomStringConvertible {
        var errorDescription: String? { "" }
        var description: String { "mute" }
    }

    private struct Unsaid: Error, CustomStringConvertible { var description: String { "unsaid" } }

    @Test("content beyond the limit fails")
    func contentLimit() async throws {
        let origin = AnsweringOrigin { _ in .init(200, [], String(repeating: "x", count: 100_000)) }
        let service = Service(
            baseURL: origin.url,
            networking: URLSessionNetworking(contentLimit: 99_999)
        )
        let error = await service.resource("a").load().outcome.response.error
        #expect(error?.cause as? RequestError.Cause.ContentTooLarge == .init(limit: 99_999))
        let fitting = Service(baseURL: origin.url, networking: URLSessionNetworking(contentLimit: 100_000))
        #expect(try await (fitting.resource("a").load().entity.content as? [UInt8])?.count == 100_000)
        #expect(URLSessionNetworking.usualContentLimit == 64 << 20 && URLSessionNetworking().transfersFiles)
    }

    @Test("a cancelled request ends at once, and the session's task with it (S-129)")
    func cancelling() async throws {
        let gate = DispatchSemaphore(value: 0)
        let origin = AnsweringOrigin { _ in
            gate.wait()
            return .init(200, [], "late")
        }
        let resource = Service(baseURL: origin.url, networking: URLSessionNetworking()).resource("a")
        let request = resource.load()
        request.cancel()
        #expect(await request.outcome.response.isCancellation)
        gate.signal()
    }

    @Test(
        "URLs go to and fro without a change, or not at all",
        arguments: ["http://h.example/", "https://h.example:8443/a/%C3%BC/?q=%20&r=a+b", "http://h.example/a//b/../c?"]
    )
    func urls(text: String) throws {
        let uri = try TargetURI(parsing: text)
        let url = try #require(URL(uri))
        #expect(url.absoluteString == uri.text)
        #expect(TargetURI(url) == uri)
        #expect(Service(networking: URLSessionNetworking()).resource(absoluteURL: url).uri == uri)
    }

    @Test("what URL would change is refused", arguments: ["http://h.example/%zz"])
    func unfitting(text: String) throws {
        #expect(URL(try TargetURI(parsing: text)) == nil)
    }
}
