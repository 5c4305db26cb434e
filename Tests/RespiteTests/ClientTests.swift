import Exchanges
import HTTPCore
import Locking
import ResourceCore
import ResourceModel
import Respite
import TestSupport
import Testing

@Suite("Services over our own client")
struct ClientTests {
    @Test("a service with a base URL loads over a socket, and reads JSON, text and images (S-007)")
    func loading() async throws {
        let origin = AnsweringOrigin { request in
            switch request.target {
            case "/v1/item":
                .init(200, [("Content-Type", "application/json"), ("ETag", "\"1\"")], #"{"a": [1, null]}"#)
            case "/v1/text": .init(200, [("Content-Type", "text/plain; charset=utf-8")], "grün")
            default: .init(404, [("Content-Type", "text/plain")], "no such thing")
            }
        }
        let service = Service(baseURL: origin.url + "/v1")
        let entity = try await service.resource("item").load().entity
        #expect(entity.jsonDict["a"] as? [any Sendable] != nil)
        #expect(entity.etag == "\"1\"")
        let item = service.resource("item")
        #expect(item.jsonDict.keys.sorted() == ["a"])
        #expect(try await service.resource("/text").load().entity.text == "grün")
        let missing = await service.resource("missing").load().outcome.response
        #expect(missing.error?.httpStatusCode == 404)
        #expect(missing.text == "no such thing")
        #expect(origin.requests.map(\.target) == ["/v1/item", "/v1/text", "/v1/missing"])
    }

    @Test("requests with content reach the origin as built (S-113, S-114)")
    func content() async throws {
        let origin = AnsweringOrigin { .init(201, [("Location", "/made")], $0.method) }
        let service = Service(baseURL: origin.url)
        service.configure("/**") { $0.headers["x-key"] = "secret" }
        let info = await service.resource("items").request(.post, json: ["b": 1, "a": [true]]).outcome
        #expect(info.response.entity?.header(forKey: "location") == "/made")
        let request = try #require(origin.requests.first)
        #expect(request.method == "POST")
        #expect(String(decoding: request.content, as: UTF8.self) == #"{"a":[true],"b":1}"#)
        #expect(request.fields["content-type"] == "application/json")
        #expect(request.fields["x-key"] == "secret")
    }

    @Test("hooks run where the program wants them, such as on the main actor (S-123)")
    func delivery() async {
        let origin = AnsweringOrigin { _ in .init(200, [("Content-Type", "text/plain")], "x") }
        let service = Service(baseURL: origin.url, delivery: .mainActor)
        await withCheckedContinuation { continuation in
            service.resource("item").load().onCompletion { _ in
                MainActor.preconditionIsolated()
                continuation.resume()
            }
        }
    }

    @Test("a hundred tasks that need the same data cause one request (S-087)")
    func collapsing() async {
        let origin = AnsweringOrigin { _ in .init(200, [("Content-Type", "text/plain")], "x") }
        let service = Service(baseURL: origin.url)
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let resource = service.resource("item")
                    if let request = resource.loadIfNeeded() { _ = await request.outcome }
                    return resource.text
                }
            }
            for await text in group { #expect(text == "x") }
        }
        #expect(origin.requests.count == 1)
    }

    @Test("a response is read once for all who wait and look, and after a 304 not at all (S-171)")
    func parsing() async throws {
        let origin = AnsweringOrigin { request in
            request.fields["if-none-match"] == nil
                ? .init(200, [("Content-Type", "application/json"), ("ETag", "\"1\"")], #"{"a": 1}"#)
                : .init(304, [("ETag", "\"1\"")])
        }
        let service = Service(baseURL: origin.url)
        let runs = Lock(0)
        service.configureTransformer("/item") { (entity: Entity<[String: any Sendable]>) in
            runs.withLock { $0 += 1 }
            return entity.content["a"] as? Int
        }
        let resource = service.resource("item")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { _ = await resource.loadIfNeeded()?.outcome }
            }
        }
        for _ in 0..<50 { #expect(resource.typedContent(ifNone: 0) == 1) }
        #expect(runs.withLock { $0 } == 1)
        #expect(await resource.load().outcome.isNew == false)
        #expect(runs.withLock { $0 } == 1)
        #expect(origin.requests.count == 2)
    }

    @Test("what is read as what depends on the route (S-055)")
    func routes() async throws {
        let origin = AnsweringOrigin { _ in .init(200, [("Content-Type", "text/plain")], "7") }
        let service = Service(baseURL: origin.url)
        service.configureTransformer("/numbers/*") { (entity: Entity<String>) in Int(entity.content) }
        #expect(try await service.resource("numbers/1").load().entity.content as? Int == 7)
        #expect(try await service.resource("texts/1").load().entity.content as? String == "7")
    }

    @Test("a refused connection is an error with its cause (S-156)")
    func refused() async throws {
        var origin: AnsweringOrigin? = AnsweringOrigin { _ in .init() }
        let url = try #require(origin?.url)
        origin = nil
        let service = Service()
        let error = await service.resource(absoluteURL: url + "/x").load().outcome.response.error
        let cause = try #require(error?.cause as? RequestError.Cause.Network)
        #expect(cause.kind == .connectionRefused || cause.kind == .connectionTerminated)
        #expect(error?.httpStatusCode == nil)
    }

    @Test("a file of authorities that cannot be read is the error of every load, by its name")
    func unusableAuthorities() async {
        var options = HTTPClient.Options()
        options.security.authorityFiles = ["/nowhere/authorities.pem"]
        let service = Service(baseURL: "http://127.0.0.1:1", networking: HTTPClient(options: options))
        for path in ["/a", "/b"] {
            let error = await service.resource(path).load().outcome.response.error
            #expect(error?.userMessage.contains("/nowhere/authorities.pem") == true, "\(String(describing: error))")
            #expect((error?.cause as? RequestError.Cause.Network)?.kind == .internalError)
        }
    }

    @Test("why there is no client is logged once, as the error says it")
    func loggedFault() async {
        // In a process of its own, since the log belongs to the whole process.
        await #expect(processExitsWith: .success) {
            let lines = Lock<[String]>([])
            RespiteLog.messageHandler = { category, message in
                if message.contains("authorities.pem") { lines.withLock { $0.append("\(category): \(message)") } }
            }
            RespiteLog.Category.enabled = [.network]
            var options = HTTPClient.Options()
            options.security.authorityFiles = ["/nowhere/authorities.pem"]
            let service = Service(baseURL: "http://127.0.0.1:1", networking: HTTPClient(options: options))
            var reasons: [String] = []
            for path in ["/a", "/b"] {
                let error = await service.resource(path).load().outcome.response.error
                reasons.append((error?.cause as? RequestError.Cause.Network)?.message ?? "none")
            }
            let all = lines.withLock { $0 }
            #expect(reasons[0] == reasons[1] && all.first == "network: \(reasons[0])")
            #expect(all.count { $0 == all.first } == 1)
        }
    }

    @Test("unless a program says otherwise, responses of 64 MiB are read, from servers near and far")
    func options() {
        let options = HTTPClient.Options()
        #expect(options.contentLimit == 64 << 20)
        #expect(options.addresses.allowsLoopback && options.addresses.allowsPrivate)
        #expect(options.addresses.blockedPorts.isEmpty && options.security.authorityFiles.isEmpty)
    }

    @Test("redirects are not followed (S-108)")
    func redirects() async throws {
        let origin = AnsweringOrigin { _ in .init(302, [("Location", "/other")], "over there") }
        let resource = Service(baseURL: origin.url).resource("x")
        #expect(try await resource.load().entity.header(forKey: "location") == "/other")
        #expect(origin.requests.count == 1)
    }

    @Test("text that is no URL fails with its cause, without network (S-012)")
    func invalidURL() async {
        let service = Service()
        let error = await service.resource(absoluteURL: "http://[x").load().outcome.response.error
        #expect(error?.cause is RequestError.Cause.InvalidURL)
        #expect(await service.resource("path").load().outcome.response.error?.cause is RequestError.Cause.InvalidURL)
    }

    @Test("content that exactly fits into memory comes, one byte more fails with the limit (S-161)")
    func contentLimit() async throws {
        let origin = AnsweringOrigin {
            .init(200, [("Content-Type", "text/plain")], $0.target == "/a" ? "0123" : "01234")
        }
        var options = HTTPClient.Options()
        options.contentLimit = 4
        let service = Service(baseURL: origin.url, client: HTTPClient(options: options))
        #expect(try await service.resource("a").load().entity.text == "0123")
        let cause = await service.resource("b").load().outcome.response.error?.cause
        #expect((cause as? RequestError.Cause.ContentTooLarge)?.limit == 4)
    }

    @Test("a load whose service was dropped is cancelled, and says so (S-161)")
    func droppedService() async {
        let origin = TestOrigin { peer, _ in
            if peer.readHead() != nil { _ = peer.hasEnded() }
        }
        defer { origin.close() }
        func request() -> Request { Service(baseURL: "http://127.0.0.1:\(origin.port)").resource("a").load() }
        let error = await request().outcome.response.error
        let cause = error?.cause as? RequestError.Cause.RequestCancelled
        #expect(cause?.networkError is RequestError.Cause.ServiceDropped)
        #expect(error?.userMessage == "Request cancelled: its service was dropped; keep the service while it loads")
    }

    @Test("the client's thread and connections end with the service")
    func ending() async throws {
        let origin = AnsweringOrigin { _ in .init(200, [("Content-Type", "text/plain")], "x") }
        weak var exchanges: (any ExchangeProvider)?
        do {
            let client = HTTPClient()
            exchanges = client.exchanges
            let service = Service(baseURL: origin.url, client: client)
            #expect(try await service.resource("x").load().entity.text == "x")
        }
        await origin.connectionsClosed(1)
        #expect(exchanges == nil)
    }
}
