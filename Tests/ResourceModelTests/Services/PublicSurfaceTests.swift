import Configurations
import Exchanges
import Formats
import HTTPCore
import ResourceCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import Testing
import Transforms

/// The model's public surface, as a program sees it: each name is used here, so that none can go unnoticed.
@Suite("The public surface of the model")
struct PublicSurfaceTests {
    private static func service() -> (Service, StubNetworking) {
        let networking = StubNetworking { _ in .answer(200, [("Content-Type", "application/json")], #"{"a":"b"}"#) }
        let service = Service(
            baseURL: "http://origin.example/v1",
            standardTransformers: [.json, .text, .image],
            networking: networking
        )
        service.configure { $0.expirationTime = .seconds(3600) }
        return (service, networking)
    }

    @Test("a service: resources, configuration, transformers, wiping, limits (S-001)")
    func services() {
        let (service, _) = Self.service()
        #expect(service.baseURL?.text == "http://origin.example/v1/")
        #expect(service.resource("a") === service.resource(absoluteURL: "http://origin.example/v1/a"))
        #expect(service.resource(baseURL: "http://h.example", path: "a").url == "http://h.example/a")
        service.configure("/a", description: "text") { $0.expirationTime = .seconds(1) }
        service.configure(service.resource("a")) { $0.retryTime = .seconds(2) }
        service.configure(/v1/, requestMethods: [.get]) { $0.headers["X-A"] = "b" }
        service.configure(whenURLMatches: { $0.text.hasSuffix("a") }) { configuration in
            configuration.mutateRequests { $0[field: "X-B"] = "c" }
            configuration.decorateRequests { _, request in request }
            configuration.progressReportingInterval = .seconds(1)
        }
        service.configureTransformer("/b") { (entity: Entity<String>) in entity.content.count }
        service.invalidateConfiguration()
        let values = service.resource("a").configuration
        #expect(values.expirationTime == .seconds(1) && values.retryTime == .seconds(2) && values.headers["X-A"] == "b")
        #expect(service.resource("a").configuration(for: .put).headers.isEmpty)
        service.cachedResourceCountLimit = 10
        service.flushUnusedResources()
        service.wipeResources()
        service.wipeResources(matching: "/**")
        service.wipeResources { $0.latestData == nil }
        service.wipeResources(withURLsMatching: { _ in true })
        #expect(service.cachedResourceCountLimit == 10)
    }

    @Test("a resource: state, requests, loads, local changes, navigation, observers (S-068)")
    func resources() async throws {
        let (service, networking) = Self.service()
        let resource = service.resource("a")
        let observer = EventRecorder()
        let owner = Owner()
        resource.addObserver(observer)
        resource.addObserver(ValueRecorder(), owner: owner)
        resource.addObserver(owner: owner) { _, _ in }
        let request = resource.load()
        #expect(resource.isLoading && resource.isRequesting)
        #expect(resource.loadRequests.contains { $0 === request } && !resource.allRequests.isEmpty)
        let entity = try await request.entity
        #expect(entity.jsonDict["a"] as? String == "b" && resource.jsonArray.isEmpty && resource.text.isEmpty)
        #expect(resource.isUpToDate && resource.latestError == nil && resource.loadIfNeeded() == nil)
        #expect(resource.timestamp == resource.latestData?.timestamp && resource.service === service)
        for request in [
            resource.request(.post), resource.request(.post, data: [1], contentType: "a/b"),
            resource.request(.post, text: "a", contentType: "text/plain", encoding: .utf8),
            resource.request(.post, json: ["a": 1]), resource.request(.post, json: [1]),
            resource.request(.post, urlEncoded: ["a": "b"]), resource.load(using: resource.request(.put)),
        ] { _ = await request.outcome }
        #expect(networking.requests.count == 8)
        resource.cancelLoadIfUnobserved()
        resource.cancelLoadIfUnobserved(afterDelay: .zero) {}
        resource.overrideLocalData(Entity(content: "x", contentType: "text/plain"))
        resource.overrideLocalContent("y")
        let fallback: Int = resource.typedContent(ifNone: 1)
        #expect(resource.text == "y" && fallback == 1)
        resource.invalidate()
        #expect(!resource.isUpToDate)
        resource.wipe()
        #expect(resource.latestData == nil)
        resource.removeObservers(ownedBy: owner)
        #expect(resource.child("b").url.hasSuffix("/a/b") && resource.relative("b").url.hasSuffix("/v1/b"))
        #expect(resource.optionalRelative(nil) == nil && resource.withParam("p", "1").url.hasSuffix("?p=1"))
        #expect(resource.withParams(["p": "1", "q": nil]) === resource.withParam("p", "1"))
    }

    @Test("requests: hooks, state, chains, delegates, and those without network (S-119, S-120, S-145)")
    func requests() async {
        let failed = Resource.failedRequest(returning: RequestError(userMessage: "no"))
        let fixed = Resource.hardWiredRequest(returning: .success(Entity(content: 1, contentType: "a/b")))
        let own = Resource.prepareRequest(using: FixedDelegate("x"))
        #expect(own.state == .notStarted && failed.state == .completed && fixed.progress == 1)
        let chain = failed.chained { info in info.response.isCancellation ? .useThisResponse : .passTo(fixed) }
        let other = failed.chained { _ in .useResponse(ResponseInfo(response: .failure(RequestError()), isNew: false)) }
        let calls = LockedBox<[String]>([])
        own.onCompletion { _ in calls.change { $0.append("completion") } }
            .onSuccess { _ in calls.change { $0.append("success") } }
            .onNewData { _ in calls.change { $0.append("newData") } }
            .onNotModified { calls.change { $0.append("notModified") } }
            .onFailure { _ in calls.change { $0.append("failure") } }
            .onProgress { _ in calls.change { $0.append("progress") } }
        _ = await own.start().outcome
        #expect(await chain.outcome.response.entity?.content as? Int == 1)
        #expect(await other.outcome.isNew == false)
        #expect(calls.value.last != nil && !calls.value.contains("failure"))
        own.cancel()
        #expect(own.repeated().state == .notStarted)
        #expect(RequestState.notStarted < .inProgress)
    }

    @Test("errors have a message, and each cause is there (S-157, S-160, S-161, S-162)")
    func errors() {
        let causes: [any Error] = [
            RequestError.Cause.InvalidURL(urlSource: nil),
            RequestError.Cause.UnencodableText(encoding: .ascii, text: "ü"), RequestError.Cause.InvalidJSONObject(),
            RequestError.Cause.NotURLEncodable(offendingString: ""), RequestError.Cause.RequestCancelled(),
            RequestError.Cause.InvalidRequestMethod(method: "X"), RequestError.Cause.NoLocalDataFor304(),
            RequestError.Cause.InvalidTextEncoding(encodingName: "x"),
            RequestError.Cause.UndecodableText(encoding: .utf8),
            RequestError.Cause.JSONResponseIsNotDictionaryOrArray(actualType: Int.self),
            RequestError.Cause.UnparsableImage(),
            RequestError.Cause.WrongInputTypeInTranformerPipeline(
                expectedType: Int.self,
                actualType: Int.self,
                transformer: 1
            ),
            RequestError.Cause.TransformerReturnedNil(transformer: 1),
            RequestError.Cause.UndecodableContent(coding: "gzip", message: "x"),
            RequestError.Cause.ContentTooLarge(), RequestError.Cause.Network(.dnsError, message: "x"),
        ]
        for cause in causes {
            let error = RequestError(cause: cause)
            #expect(!error.userMessage.isEmpty && error.userMessage != "Request failed", "\(cause)")
        }
        let response = RequestError(response: ResponseHead(status: 404), content: "no")
        #expect(response.httpStatusCode == 404 && response.text == "no" && response.userMessage == "Not found")
        #expect(response.timestamp <= .now && !response.isCancellation)
    }

    @Test("pipelines: order, stages, transformers, caches, standard transformers (S-165, S-169)")
    func pipelines() {
        var pipeline = Configuration().pipeline
        let own = PipelineStageKey("own")
        pipeline.order = [.rawData, .decoding, .parsing, .model, own, .cleanup]
        pipeline[.model].add(JSONResponseTransformer())
        pipeline[.model].add(TextResponseTransformer(), contentTypes: ["text/*"])
        pipeline[own].add(ImageResponseTransformer())
        pipeline[own].add(
            ResponseContentTransformer<String, Int>(onInputTypeMismatch: .skipIfOutputTypeMatches) { $0.content.count }
        )
        pipeline.add(.json)
        let cache = StubCache(StubCacheJobs())
        pipeline[.rawData].cacheUsing(cache)
        #expect(pipeline[.rawData].isCaching && pipeline[.model].transformers.count == 2)
        pipeline[.rawData].doNotCache()
        pipeline[.model].removeTransformers()
        pipeline.removeAllTransformers()
        pipeline.removeAllCaches()
        pipeline.clear()
        #expect(pipeline.order.contains(own) && pipeline[own].isEmpty)
        let actions: [PipelineStage.MutationAction] = [.replaceExisting, .appendToExisting]
        let mismatches: [InputTypeMismatchAction] = [.error, .skip, .skipIfOutputTypeMatches]
        #expect(actions.count + mismatches.count == 5)
    }

    @Test("entities: three ways to make one, fields, touching, retyping (S-076, S-081, S-082)")
    func entities() {
        var fields = Fields()
        fields.append(.contentType, "text/plain; charset=utf-8")
        fields.append(.etag, "\"1\"")
        let received = Entity(response: fields, content: "a")
        #expect(received.charset == "utf-8" && received.etag == "\"1\"" && received.header(forKey: "ETAG") == "\"1\"")
        var made = Entity<any Sendable>(content: 1, contentType: "a/b")
        #expect(made.contentType == "a/b" && made.withContentRetyped(Int.self)?.content == 1)
        #expect(made.withContentRetyped(String.self) == nil)
        made.touch(at: Timestamp(seconds: 5))
        let full = Entity(content: 1, charset: nil, headers: made.headers, timestamp: made.timestamp)
        #expect(full.timestamp == Timestamp(seconds: 5) && full.headers["content-type"] == "a/b")
    }

    @Test("events, methods, transfer figures and log categories (S-208, S-229)")
    func words() {
        let events: [ResourceEvent] = [
            .observerAdded, .requested, .requestCancelled, .newData(.network), .newData(.cache),
            .newData(.localOverride), .newData(.wipe), .notModified, .error,
        ]
        #expect(Set(events).count == 9)
        let methods: [Method] = [.options, .get, .head, .post, .put, .patch, .delete]
        #expect(methods.map(\.text) == ["OPTIONS", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
        let metrics = RequestTransferMetrics(requestBytesSent: 1, requestBytesTotal: 2, responseBytesReceived: 3)
        #expect(metrics.responseBytesTotal == nil)
        let categories: Set<RespiteLog.Category> = [
            .network, .networkDetails, .pipeline, .stateChanges, .observers, .staleness, .cache, .configuration,
        ]
        #expect(categories == RespiteLog.Category.all && RespiteLog.Category.common.isSubset(of: .init(categories)))
        #expect(RespiteLog.Category.detailed == categories.subtracting([.networkDetails]))
    }
}
