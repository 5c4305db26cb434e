import ResourceDoubles
@testable import Exchanges
@testable import ResourceCore
@testable import ResourceModel
import HTTPCore
import TestDoubles
import Testing

@Suite("Requests: loads, decorated and promoted")
struct LoadRequestTests {
    private func decorate(_ world: ProgramWorld, _ decorator: @escaping RequestDecorator) {
        world.service.configure { $0.decorateRequests(with: decorator) }
    }

    @Test("a decorator sees each request once, with its resource (T-050, S-053)")
    func counting() {
        let world = ProgramWorld { _ in .answer() }
        let seen = LockedBox<[UInt64]>([])
        decorate(world) { resource, request in
            seen.change { $0.append(resource.id) }
            return request
        }
        let resource = world.resource()
        resource.load()
        resource.request(.post)
        world.runUntilIdle()
        #expect(seen.value == [resource.id, resource.id])
    }

    @Test("a decorator's hook runs, before the resource knows the data (T-051, S-053, S-120, S-124)")
    func decoratorHook() {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let notes = LockedBox<[String]>([])
        decorate(world) { resource, request in
            request.onSuccess { [weak resource] _ in
                notes.change { $0.append("decorator \(resource?.latestData == nil)") }
            }
        }
        let resource = world.resource()
        resource.load().onSuccess { [weak resource] _ in
            notes.change { $0.append("caller \(resource?.latestData == nil) \(resource?.allRequests.count ?? -1)") }
        }
        world.runUntilIdle()
        #expect(notes.value == ["decorator true", "caller false 0"])
    }

    @Test("the caller holds what a decorator returned instead; the original is never sent (T-052, T-053, S-053, S-054)")
    func replaced() {
        let world = ProgramWorld { _ in .answer() }
        let fixed = Resource.failedRequest(returning: RequestError(userMessage: "closed"))
        decorate(world) { _, _ in fixed }
        let resource = world.resource()
        let request = resource.load()
        world.runUntilIdle()
        #expect(request === fixed && resource.latestError?.userMessage == "closed")
        #expect(world.networking.exchanges.isEmpty)
    }

    @Test("a decorator's chain starts the original, and its altered response is the data (T-054, S-137, S-138)")
    func altered() {
        let world = ProgramWorld { _ in .answer(200, [], "one") }
        decorate(world) { _, request in
            request.chained { info in
                guard case .success(var entity) = info.response else { return .useThisResponse }
                entity.content = HookLog.text(entity) + " two"
                return .useResponse(ResponseInfo(response: .success(entity)))
            }
        }
        let resource = world.resource()
        resource.load()
        world.runUntilIdle()
        #expect(world.networking.exchanges.count == 1 && resource.latestData.map(HookLog.text) == "one two")
    }

    @Test("a decorator's chain that never passes to the original does not run it (T-055, S-054)")
    func dropped() async {
        let world = ProgramWorld { _ in .answer() }
        decorate(world) { _, _ in
            Resource.failedRequest(returning: RequestError(userMessage: "no")).chained { _ in .useThisResponse }
        }
        let resource = world.resource()
        resource.load()
        // The failed request belongs to no service: the chain's turn comes on the context of such requests.
        await SerialDelivery.shared.flush()
        world.runUntilIdle()
        #expect(world.networking.exchanges.isEmpty && resource.latestError?.userMessage == "no")
    }

    @Test("a decorator keeps requests from foreign hosts off the network (S-233, S-235)")
    func foreignHosts() {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let closed = RequestError(userMessage: "not there")
        world.service.configure(whenURLMatches: { !$0.text.hasPrefix("http://origin.example/") }) { configuration in
            configuration.decorateRequests { _, _ in Resource.failedRequest(returning: closed) }
        }
        let foreign = world.service.resource(absoluteURL: "http://elsewhere.example/a")
        for request in [
            foreign.load(), foreign.request(.post), world.resource().relative("//elsewhere.example/b").load(),
        ] {
            world.runUntilIdle()
            #expect(request.result?.response.error?.userMessage == "not there")
        }
        #expect(world.networking.requests.isEmpty && foreign.latestError?.userMessage == "not there")
        world.resource().load()
        world.runUntilIdle()
        #expect(world.resource().latestData != nil && world.networking.requests.count == 1)
    }

    @Test("a decorator may cancel the original beforehand: nothing is sent (S-054)")
    func cancelledByDecorator() {
        let world = ProgramWorld { _ in .answer() }
        decorate(world) { _, request in
            request.cancel()
            return request
        }
        let resource = world.resource()
        let request = resource.load()
        world.runUntilIdle()
        #expect(request.result?.response.isCancellation == true && world.networking.exchanges.isEmpty)
        #expect(resource.latestError == nil && !resource.isLoading)
    }

    @Test("a chain may fetch a token on 401 and repeat; observers see only the end (S-236, S-137)")
    func tokenRefresh() {
        let token = LockedBox("old")
        let world = ProgramWorld { request in
            if request.url == World.uri("/token") { return .answer(200, [], "new") }
            return request[field: "Authorization"] == "new" ? .answer(200, [], "abc") : .answer(401)
        }
        let invalidate: @Sendable () -> Void = { [weak service = world.service] in service?.invalidateConfiguration() }
        world.service.configure { $0.headers["Authorization"] = token.value }
        world.service.configure(World.uri("/a")) { configuration in
            configuration.decorateRequests { resource, request in
                let login = resource.relative("/token")
                return request.chained { info in
                    guard info.response.error?.httpStatusCode == 401 else { return .useThisResponse }
                    let refresh = login.request(.post).chained { answer in
                        token.change { $0 = answer.response.contentText ?? "" }
                        invalidate()
                        return .passTo(request.repeated())
                    }
                    return .passTo(refresh)
                }
            }
        }
        let resource = world.resource()
        let events = LockedBox<[String]>([])
        resource.addObserver(owner: world.context) { _, change in events.change { $0.append(change.event.text) } }
        world.runUntilIdle()
        let request = resource.load()
        world.runUntilIdle()
        #expect(resource.latestData.map(HookLog.text) == "abc" && request.result?.response.error == nil)
        #expect(events.value == ["observerAdded", "requested", "newData(network)"])
        #expect(world.networking.exchanges.count == 3)
    }

    @Test("a repeated load sends the validator that is known then, and does not change the resource (S-136)")
    func repeatedLoad() {
        let world = ProgramWorld()
        let resource = world.resource()
        let request = resource.load()
        world.networking.last.answer(200, [("ETag", "\"one\"")], "abc")
        world.runUntilIdle()
        request.repeated().start()
        #expect(world.networking.requests.map { $0[field: "If-None-Match"] } == [nil, "\"one\""])
        world.networking.last.answer(200, [("ETag", "\"two\"")], "def")
        world.runUntilIdle()
        #expect(resource.latestData?.etag == "\"one\"" && resource.latestData.map(HookLog.text) == "abc")
    }

    @Test("a 304 gives hooks the data that is known, dated anew (S-097, S-128)")
    func notModified() {
        let world = ProgramWorld()
        let resource = world.resource()
        resource.load()
        world.networking.last.answer(200, [("ETag", "\"one\"")], "abc")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(5))
        let log = HookLog(resource.load())
        world.networking.last.answer(304)
        world.runUntilIdle()
        #expect(log.notes.value == ["progress 1", "completion false", "success abc", "notModified"])
        #expect(resource.latestData?.timestamp == Timestamp(world.timekeeper.wallNow))
    }

    @Test("accessors of a JSON object: the object, no array, no text; fields in any case (T-246, S-083, S-079)")
    func accessors() {
        let world = ProgramWorld { _ in
            .answer(200, [("Content-Type", "application/json"), ("X-MiXed", "yes")], #"{"a":"b"}"#)
        }
        world.service.configure { $0.pipeline.add(.json) }
        let resource = world.resource()
        resource.load()
        world.runUntilIdle()
        #expect(resource.jsonDict["a"] as? String == "b" && resource.jsonArray.isEmpty && resource.text.isEmpty)
        #expect(resource.latestData?.header(forKey: "x-mIxed") == "yes")
    }

    @Test(
        "a request that failed by encoding can be promoted: its failure is the resource's error (T-247, S-101, S-116)"
    )
    func promotedFailure() {
        let world = ProgramWorld()
        let resource = world.resource()
        let request = resource.request(.post, json: ["a": Double.nan])
        #expect(resource.allRequests.isEmpty)
        #expect(resource.load(using: request) === request)
        world.runUntilIdle()
        #expect(resource.latestError?.cause is RequestError.Cause.InvalidJSONObject)
        #expect(resource.latestError?.httpStatusCode == nil && world.networking.exchanges.isEmpty)
    }

    @Test("loads report progress, and end with 1 however they end (T-138, T-139, T-140, T-152, T-153, S-220, S-221)")
    func progress() {
        let world = ProgramWorld()
        let (one, two, three) = (world.resource("/1").load(), world.resource("/2").load(), world.resource("/3").load())
        let log = HookLog(one)
        for _ in 0..<4 {
            world.timekeeper.advance(by: .milliseconds(50))
            world.runUntilIdle()
        }
        #expect(log.progress.value.count == 4 && log.progress.value[0] > 0)
        world.networking.exchanges[0].answer(200, [], "abc")
        world.networking.exchanges[1].answer(500)
        world.runUntilIdle()
        three.cancel()
        #expect([one, two, three].map(\.progress) == [1, 1, 1])
        #expect(log.progress.value == log.progress.value.sorted() && log.progress.value.last == 1)
    }

    @Test("an absent URL leads to a resource that never sends anything (T-240, S-011)")
    func absentURL() {
        let world = ProgramWorld { _ in .answer() }
        let resource = world.service.resource(absoluteURL: nil)
        let request = resource.load()
        world.runUntilIdle()
        #expect(request.result?.response.error?.cause is RequestError.Cause.InvalidURL)
        #expect(world.networking.exchanges.isEmpty)
    }
}
