import ResourceDoubles
import Exchanges
import Formats
import HTTPCore
import ResourceCore
import ResourceModel
import TestDoubles
import Testing
import Transforms

@Suite("The state of a resource that a program loads")
struct ResourceStateTests {
    // MARK: A new resource

    @Test("a new resource has no data and no error, loads and requests nothing (T-001, S-069)")
    func new() {
        let resource = ProgramWorld().resource()
        #expect(resource.latestData == nil && resource.latestError == nil && resource.timestamp == .epoch)
        #expect(!resource.isLoading && !resource.isRequesting)
        #expect(resource.loadRequests.isEmpty && resource.allRequests.isEmpty)
    }

    @Test("a plain request changes neither data nor error (T-002, S-104)")
    func plainRequest() {
        let world = ProgramWorld()
        let resource = world.resource()
        let request = resource.request(.get)
        #expect(resource.isRequesting && !resource.isLoading)
        world.answer(200, [], "abc")
        #expect(request.result?.response.contentText == "abc")
        #expect(resource.latestData == nil && resource.latestError == nil && !resource.isRequesting)
    }

    @Test("requests are listed in the order they began, until they have completed (T-003, S-073)")
    func requestList() {
        let world = ProgramWorld()
        let resource = world.resource()
        let (first, second) = (resource.request(.get), resource.request(.get))
        #expect(resource.isRequesting && isSame(resource.allRequests, [first, second]))
        world.networking.exchanges[0].answer()
        world.runUntilIdle()
        #expect(isSame(resource.allRequests, [second]))
        world.networking.exchanges[1].answer()
        world.runUntilIdle()
        #expect(resource.allRequests.isEmpty && !resource.isRequesting)
    }

    // MARK: Loads

    @Test("a load brings content, type, charset and tag (T-004, T-005, T-006, T-007, T-010, S-095, S-096)")
    func load() {
        let world = ProgramWorld()
        let resource = world.resource()
        let request = resource.load()
        #expect(resource.isLoading && isSame(resource.loadRequests, [request]))
        world.answer(200, [("cOnTent-tYPe", "text/x-sample; x=y; charset=utf-8; z=q"), ("eTaG", "\"a b\"")], "abc")
        #expect(!resource.isLoading && resource.loadRequests.isEmpty)
        #expect(resource.latestData?.content as? [UInt8] == Array("abc".utf8))
        #expect(resource.latestData?.contentType == "text/x-sample; x=y; charset=utf-8; z=q")
        #expect(resource.latestData?.charset == "utf-8" && resource.latestData?.etag == "\"a b\"")
    }

    @Test("without a charset in the type there is none (T-006, T-007, S-078)")
    func noCharset() {
        let world = ProgramWorld.filled([("CONTENT-type", "text/x-sample")])
        #expect(world.resource().latestData?.contentType == "text/x-sample")
        #expect(world.resource().latestData?.charset == nil)
    }

    @Test(
        "without a content type it is bytes; header names have no case but their hyphens (T-008, T-009, S-077, S-079)"
    )
    func headers() {
        let world = ProgramWorld()
        world.resource().load()
        world.answer(200, [("X-Kind", "odd")], "abc")
        let data = world.resource().latestData
        #expect(data?.contentType == "application/octet-stream")
        #expect(data?.header(forKey: "X-Kind") == "odd" && data?.header(forKey: "x-kInD") == "odd")
        #expect(data?.header(forKey: "XKind") == nil)
    }

    @Test("a load sends the validators of the data; a 304 ends it as not modified (T-011, S-093, S-097, S-094)")
    func conditional() {
        let date = "Sat, 21 Nov 2026 19:00:00 GMT"
        let world = ProgramWorld.filled([("ETag", "\"v1\""), ("Last-Modified", date)])
        let request = world.resource().load()
        #expect(world.networking.last.request[field: "If-None-Match"] == "\"v1\"")
        #expect(world.networking.last.request[field: "If-Modified-Since"] == date)
        world.answer(304)
        #expect(request.result?.isNew == false && request.result?.response.contentText == "abc")
    }

    @Test("a repeated load sends the tag that is known by then (S-136)")
    func repeatedLoad() {
        let world = ProgramWorld()
        let request = world.resource().load()
        world.answer(200, [("ETag", "\"v1\"")], "abc")
        request.repeated().start()
        #expect(world.networking.last.request[field: "If-None-Match"] == "\"v1\"")
    }

    @Test("new data replaces content, type and tag (T-012, S-096)")
    func replaced() {
        let world = ProgramWorld.filled()
        world.resource().load()
        world.answer(200, [("Content-Type", "text/other"), ("ETag", "\"v2\"")], "def")
        let data = world.resource().latestData
        #expect(data?.content as? [UInt8] == Array("def".utf8))
        #expect(data?.contentType == "text/other" && data?.etag == "\"v2\"")
    }

    @Test("new data clears the error of a load before (S-096)")
    func replacedAfterFailure() {
        let world = ProgramWorld.failed()
        world.resource().load()
        world.answer(200, [("ETag", "\"v2\"")], "def")
        #expect(world.resource().latestData?.plainText == "def" && world.resource().latestError == nil)
    }

    @Test("a 304 keeps content, type and tag, clears the error and makes the data as new as it is (T-013, S-097)")
    func notModified() {
        let world = ProgramWorld.failed()
        world.timekeeper.advance(by: .seconds(10))
        world.resource().load()
        world.answer(304)
        let data = world.resource().latestData
        #expect(data?.content as? [UInt8] == Array("abc".utf8) && world.resource().latestError == nil)
        #expect(data?.contentType == "text/x-sample" && data?.etag == "\"v1\"")
        #expect(data?.timestamp == world.timekeeper.timestamp && world.resource().isUpToDate)
    }

    private struct PlatformError: Error, Equatable {
        let domain: String
        let code: Int
    }

    @Test("a failure in transport keeps the provider's own cause (T-014, S-099, S-161)")
    func transportFailure() {
        let world = ProgramWorld()
        world.resource().load()
        world.networking.last.complete(NetworkingResult(error: PlatformError(domain: "test", code: 12345)))
        world.runUntilIdle()
        #expect(world.resource().latestData == nil)
        let cause = world.resource().latestError?.cause as? PlatformError
        #expect(cause == PlatformError(domain: "test", code: 12345))
    }

    @Test(
        "a status from 400 on is an error with that status (T-015, T-016, S-151, S-099)",
        arguments: [400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 500, 501, 502, 503, 504, 505] as [UInt16]
    )
    func status(status: UInt16) {
        let world = ProgramWorld()
        world.resource().load()
        world.answer(status)
        #expect(world.resource().latestData == nil)
        #expect(world.resource().latestError?.httpStatusCode == Int(status))
    }

    @Test("a failure keeps the data beside the error (T-017, S-099, S-070)")
    func failureKeepsData() {
        let world = ProgramWorld.failed()
        let resource = world.resource()
        #expect(resource.latestData?.content as? [UInt8] == Array("abc".utf8))
        #expect(resource.latestData?.contentType == "text/x-sample" && resource.latestData?.etag == "\"v1\"")
        #expect(resource.latestError?.httpStatusCode == 500)
    }

    @Test("a cancelled load changes nothing, whatever the server still answers (T-018, S-100)")
    func cancelled() {
        let world = ProgramWorld.filled()
        let request = world.resource().load()
        request.cancel()
        #expect(!world.resource().isLoading && world.resource().loadRequests.isEmpty)
        world.answer(200, [], "late")
        #expect(world.resource().latestData?.content as? [UInt8] == Array("abc".utf8))
        #expect(world.resource().latestError == nil && request.result?.response.isCancellation == true)
    }

    @Test("a status alone gives its reason text as message (T-019, S-158)")
    func reason() {
        let world = ProgramWorld()
        world.resource().load()
        world.answer(404)
        #expect(world.resource().latestError?.userMessage == "Not found")
    }

    // MARK: loadIfNeeded

    @Test("loadIfNeeded starts a load once, and gives it to whoever asks meanwhile (T-020, T-021, S-087)")
    func loadIfNeeded() {
        let world = ProgramWorld()
        let resource = world.resource()
        let request = resource.loadIfNeeded()
        #expect(request != nil && resource.isLoading && resource.loadIfNeeded() === request)
        #expect(isSame(resource.loadRequests, [request!]))
        world.runUntilIdle()
        #expect(resource.loadIfNeeded() === request && world.networking.requests.count == 1)
        world.answer(200, [], "abc")
        #expect(request?.result?.isNew == true && request?.result?.response.contentText == "abc")
        #expect(resource.latestData != nil && !resource.isLoading)
    }

    @Test("of several loads loadIfNeeded gives the oldest (S-088)")
    func oldest() {
        let world = ProgramWorld()
        let first = world.resource().load()
        world.resource().load()
        #expect(world.resource().loadIfNeeded() === first)
    }

    @Test("a request of another method counts for nothing (T-022, S-089)")
    func otherMethod() {
        let world = ProgramWorld()
        let resource = world.resource()
        let post = resource.request(.post)
        let load = resource.loadIfNeeded()
        #expect(world.networking.requests.map(\.method) == [.post, .get])
        for exchange in world.networking.exchanges { exchange.answer() }
        world.runUntilIdle()
        #expect(post.isCompleted && load?.isCompleted == true)
    }

    @Test("data is loaded again once it is older than the expiration time (T-023, T-024, S-084)")
    func expiration() {
        let world = ProgramWorld.filled([])
        world.timekeeper.advance(by: .seconds(10))
        #expect(world.resource().loadIfNeeded() == nil && world.networking.requests.count == 1)
        world.timekeeper.advance(by: .seconds(990))
        #expect(world.resource().loadIfNeeded() != nil && world.networking.requests.count == 2)
    }

    @Test("a failure is tried again after the retry time, not at its very end (T-025, T-026, S-041, S-084)")
    func retry() {
        let world = ProgramWorld()
        world.resource().load()
        world.answer(404)
        world.timekeeper.advance(by: .seconds(1))
        #expect(world.resource().loadIfNeeded() == nil)
        world.timekeeper.advance(by: .seconds(1))
        #expect(world.resource().loadIfNeeded() != nil && world.networking.requests.count == 2)
    }

    // MARK: Promotion

    @Test("any request can be made a load of this resource (T-027, S-101)")
    func promoted() {
        let world = ProgramWorld()
        let request = world.resource().request(.post)
        #expect(world.resource().load(using: request) === request && world.resource().isLoading)
        world.answer(200, [], "stored")
        #expect(world.resource().latestData?.content as? [UInt8] == Array("stored".utf8))
    }

    @Test("a request that failed before it was sent becomes the resource's error (T-247, S-101, S-116)")
    func promotedFailure() {
        let world = ProgramWorld()
        let request = world.resource().request(.post, text: "é", encoding: .ascii)
        #expect(world.resource().allRequests.isEmpty)
        world.resource().load(using: request)
        world.runUntilIdle()
        let error = world.resource().latestError
        #expect(error?.cause is RequestError.Cause.UnencodableText && error?.httpStatusCode == nil)
        #expect(world.networking.requests.isEmpty)
    }

    @Test(
        "a request of the program's own can be made a load: no pipeline, no cache, started if need be (S-101, S-146, S-242)"
    )
    func promotedDelegate() {
        let world = ProgramWorld()
        let (cache, runs) = (RecordingCache(on: world.context), LockedBox(0))
        world.service.configure {
            $0.pipeline[.parsing].add(CountingTransformer(runs))
            $0.pipeline[.parsing].cacheUsing(cache)
        }
        let recorder = EventRecorder()
        world.resource().addObserver(recorder)
        world.runUntilIdle()
        let request = Resource.prepareRequest(using: FixedDelegate("own"))
        #expect(world.resource().load(using: request) === request && request.state != .notStarted)
        world.runUntilIdle()
        #expect(world.resource().latestData?.plainText == "own" && runs.value == 0)
        #expect(recorder.events == ["observerAdded", "requested L", "newData(network) D"])
        #expect(cache.calls == ["read /a"] && world.networking.requests.isEmpty)
    }

    @Test("a request that has completed is announced, and its result applied, again (S-103)")
    func promotedAgain() {
        let world = ProgramWorld()
        let resource = world.resource()
        let first = resource.load()
        world.answer(200, [], "one")
        resource.load()
        world.answer(200, [], "two")
        let recorder = EventRecorder()
        resource.addObserver(recorder)
        resource.load(using: first)
        world.runUntilIdle()
        #expect(recorder.events == ["observerAdded D", "requested LD", "newData(network) D"])
        #expect(resource.latestData?.content as? [UInt8] == Array("one".utf8))
    }

    @Test(
        "a request of another resource is listed by both; wiping either cancels it (S-102)",
        arguments: [true, false]
    )
    func foreign(wipesOwner: Bool) {
        let world = ProgramWorld()
        let (owner, other) = (world.resource("/owner"), world.resource("/other"))
        let request = owner.request(.get)
        other.load(using: request)
        #expect(owner.allRequests.contains { $0 === request } && other.loadRequests.contains { $0 === request })
        #expect(!owner.isLoading && other.isLoading)
        (wipesOwner ? owner : other).wipe()
        world.runUntilIdle()
        #expect(request.result?.response.isCancellation == true && world.networking.last.isCancelled)
        #expect(!other.isLoading && !owner.isRequesting)
    }

    // MARK: Unobserved loads

    @Test("a load is given up if the only observer's owner has gone (T-028, S-105, S-214)")
    func unobserved() {
        let world = ProgramWorld()
        let resource = world.resource()
        var owner: Owner? = Owner()
        resource.addObserver(owner: owner!) { _, _ in }
        let request = resource.load()
        owner = nil
        resource.cancelLoadIfUnobserved()
        #expect(request.result?.response.isCancellation == true && !resource.isLoading)
        world.answer(200, [], "late")
        #expect(resource.latestData == nil)
    }

    @Test("a load goes on while any observer is left (T-029, S-105)")
    func observed() {
        let world = ProgramWorld()
        let resource = world.resource()
        var gone: Owner? = Owner()
        let owner = Owner()
        resource.addObserver(owner: gone!) { _, _ in }.addObserver(owner: owner) { _, _ in }
        let request = resource.load()
        gone = nil
        resource.cancelLoadIfUnobserved()
        world.answer(200, [], "abc")
        #expect(request.result?.isNew == true && resource.latestData != nil)
        withExtendedLifetime(owner) {}
    }

    @Test("an observer added during the delay saves the load (T-030, S-106)")
    func savedDuringDelay() {
        let world = ProgramWorld()
        let (resource, owner, called) = (world.resource(), Owner(), LockedBox(false))
        let request = resource.load()
        resource.cancelLoadIfUnobserved(afterDelay: .milliseconds(1)) { called.change { $0 = true } }
        resource.addObserver(owner: owner) { _, _ in }
        world.timekeeper.advance(by: .milliseconds(1))
        world.runUntilIdle()
        #expect(called.value && !request.isCompleted)
        world.answer()
        #expect(resource.latestData != nil)
    }

    @Test("an observer lost during the delay does not save the load; the closure is called, too (S-106)")
    func lostDuringDelay() {
        let world = ProgramWorld()
        let (resource, called) = (world.resource(), LockedBox(false))
        var owner: Owner? = Owner()
        resource.addObserver(owner: owner!) { _, _ in }
        let request = resource.load()
        resource.cancelLoadIfUnobserved(afterDelay: .milliseconds(1)) { called.change { $0 = true } }
        owner = nil
        world.timekeeper.advance(by: .milliseconds(1))
        world.runUntilIdle()
        #expect(called.value && request.result?.response.isCancellation == true && !resource.isLoading)
    }

    @Test("the delay is the one given (T-031, S-106)")
    func delay() {
        let world = ProgramWorld()
        let called = LockedBox(false)
        let request = world.resource().load()
        world.resource().cancelLoadIfUnobserved(afterDelay: .milliseconds(300)) { called.change { $0 = true } }
        world.timekeeper.advance(by: .milliseconds(50))
        world.runUntilIdle()
        #expect(!called.value)
        world.answer()
        #expect(request.result?.isNew == true)
        world.timekeeper.advance(by: .milliseconds(250))
        world.runUntilIdle()
        #expect(called.value)
    }

    // MARK: Order

    @Test("an older load's late result never replaces a newer one's (S-256)")
    func order() {
        let world = ProgramWorld()
        let resource = world.resource()
        let recorder = EventRecorder()
        resource.addObserver(recorder)
        let (first, second) = (resource.load(), resource.load())
        world.networking.exchanges[1].answer(200, [], "new")
        world.runUntilIdle()
        world.networking.exchanges[0].answer(200, [], "old")
        world.runUntilIdle()
        #expect(resource.latestData?.content as? [UInt8] == Array("new".utf8))
        #expect(first.result?.response.contentText == "old" && second.result?.response.contentText == "new")
        #expect(recorder.events.suffix(2) == ["newData(network) LD", "requestCancelled D"])
    }

    @Test("that an older load confirms what was replaced since is of no interest (S-256)")
    func lateConfirmation() {
        let world = ProgramWorld.filled()
        let resource = world.resource()
        let (older, newer) = (resource.load(), resource.load())
        world.networking.exchanges[2].answer(200, [("ETag", "\"v2\"")], "new")
        world.runUntilIdle()
        resource.load()
        world.answer(500)
        world.timekeeper.advance(by: .seconds(10))
        world.networking.exchanges[1].answer(304)
        world.runUntilIdle()
        #expect(older.isCompleted && newer.isCompleted && resource.latestError?.httpStatusCode == 500)
        #expect(resource.latestData?.plainText == "new")
        #expect(resource.latestData?.timestamp == Timestamp(seconds: world.timekeeper.timestamp.seconds - 10))
    }

    @Test("the retry time counts from when a program made its error, not from when it was used (S-164)")
    func ownError() {
        let world = ProgramWorld()
        let error = RequestError(userMessage: "no", timestamp: world.timekeeper.timestamp)
        world.service.configure { $0.decorateRequests { _, _ in Resource.failedRequest(returning: error) } }
        let resource = world.resource()
        resource.load()
        world.runUntilIdle()
        #expect(resource.loadIfNeeded() == nil && resource.timestamp == error.timestamp)
        world.timekeeper.advance(by: .seconds(2))
        resource.load()
        world.runUntilIdle()
        #expect(resource.latestError?.userMessage == "no" && resource.loadIfNeeded() != nil)
    }

    @Test("decorators' hooks, then the state, then observers, then the caller's hooks (S-124)")
    func effects() {
        let world = ProgramWorld()
        let resource = world.resource()
        let notes = LockedBox<[String]>([])
        func note(_ name: String) {
            let isThere = resource.latestData != nil
            notes.change { $0.append("\(name) \(isThere) \(resource.loadRequests.count)") }
        }
        world.service.configure { configuration in
            configuration.decorateRequests { resource, request in
                request.onSuccess { _ in
                    notes.change { $0.append("decorator \(resource.latestData != nil) \(resource.loadRequests.count)") }
                }
            }
        }
        let owner = Owner()
        resource.addObserver(owner: owner) { resource, change in
            guard change.event == .newData(.network) else { return }
            notes.change { $0.append("observer \(resource.latestData != nil) \(resource.loadRequests.count)") }
        }
        resource.load().onSuccess { _ in
            notes.change { $0.append("caller \(resource.latestData != nil) \(resource.loadRequests.count)") }
        }
        world.answer(200, [], "abc")
        #expect(notes.value == ["decorator false 1", "observer true 0", "caller true 0"])
    }

    @Test("a decorator's request is the load; the original is not sent (T-052, T-053, S-053, S-054)")
    func decorated() {
        let world = ProgramWorld()
        let fixed = Resource.failedRequest(returning: RequestError(userMessage: "no"))
        world.service.configure { $0.decorateRequests { _, _ in fixed } }
        #expect(world.resource().load() === fixed)
        world.runUntilIdle()
        #expect(world.resource().latestError?.userMessage == "no" && world.networking.requests.isEmpty)
    }

    @Test("a resource gives its content as the type asked for (S-083, S-159)")
    func typedContent() {
        let world = ProgramWorld()
        let resource = world.resource()
        #expect(resource.text.isEmpty && resource.jsonDict.isEmpty)
        resource.overrideLocalContent("abc")
        #expect(resource.text == "abc" && resource.typedContent(ifNone: 7) == 7)
    }
}
