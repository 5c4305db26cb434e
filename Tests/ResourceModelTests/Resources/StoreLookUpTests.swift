import Configurations
import HTTPCore
import ResourceDoubles
import ResourceModel
import Stores
import TestDoubles
import Testing
import Transforms

/// First use of a resource whose former life is in the store.
@Suite("Look-ups of the store")
struct StoreLookUpTests {
    private let store = MemoryVariantStore(isImmediate: false)

    private func record(_ world: World, age: Int64, _ text: String = "stored") -> StoredRecord {
        var fields = Fields()
        fields.append(.cacheControl, "max-age=60")
        fields.append(.etag, "\"v1\"")
        let time = HTTPDate(seconds: world.timekeeper.wallNow.seconds - age)
        return StoredRecord(
            uri: World.uri("/a"),
            partition: .shared,
            selection: [],
            status: 200,
            reason: [],
            fields: fields,
            requestFields: Fields(),
            requestTime: time,
            responseTime: time,
            isInvalidated: false,
            body: .bytes(Array(text.utf8))
        )
    }

    /// A world whose store holds something of this age, and what an observer of its resource is told.
    private func world(age: Int64?) -> (World, EventRecorder) {
        let (world, recorder) = (World(store: store), EventRecorder())
        if let age { store.put(record(world, age: age)) }
        world.resource().addObserver(recorder)
        return (world, recorder)
    }

    private func runUntilIdle(_ world: World) {
        repeat { world.runUntilIdle() } while store.run()
    }

    // MARK: Order of events

    @Test("the first GET with a fresh record: the data comes, and nothing is requested (S-091, S-189)")
    func freshHit() {
        let (world, recorder) = world(age: 10)
        let clients = [world.get(), world.get()]
        #expect(recorder.events == ["observerAdded"] && clients.allSatisfy { $0.answers == 0 })
        runUntilIdle(world)
        #expect(clients.allSatisfy { $0.isHit && $0.text == "stored" })
        #expect(recorder.events == ["observerAdded", "newData(cache) D"])
        #expect(store.log == ["lookUp"] && world.provider.count == 0)
    }

    @Test("loadIfNeeded with a fresh record: the data comes while it loads, then it was needless (S-091)")
    func freshHitForProgram() {
        let (world, recorder) = world(age: 10)
        let request = world.resource().loadIfNeeded()
        #expect(request != nil && world.resource().isLoading)
        runUntilIdle(world)
        #expect(recorder.events == ["observerAdded", "newData(cache) LD", "notModified D"])
        #expect(request?.result?.isNew == false && world.provider.count == 0)
    }

    @Test("the first GET with a stale record: the data comes, then it is validated (S-091)", arguments: [200, 304])
    func staleHit(status: UInt16) {
        let (world, recorder) = world(age: 100)
        let client = world.get()
        runUntilIdle(world)
        #expect(recorder.events == ["observerAdded", "newData(cache) D", "requested LD"] && client.answers == 0)
        #expect(world.last.value(of: .ifNoneMatch) == "\"v1\"")
        world.last.answer(status, [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")], status == 304 ? "" : "new")
        runUntilIdle(world)
        #expect(client.text == (status == 304 ? "stored" : "new"))
        let last = status == 304 ? "notModified D" : "newData(network) D"
        #expect(recorder.events.filter { !$0.hasPrefix("durable") }.suffix(2) == ["requested LD", last])
    }

    @Test("the first GET with nothing in the store is requested once that is known (S-091)")
    func miss() {
        let (world, recorder) = world(age: nil)
        let client = world.get()
        #expect(recorder.events == ["observerAdded"] && world.provider.count == 0)
        runUntilIdle(world)
        #expect(recorder.events == ["observerAdded", "requested L"])
        world.last.answer(200, [("Cache-Control", "max-age=60")], "new")
        runUntilIdle(world)
        #expect(client.text == "new")
        #expect(recorder.events == ["observerAdded", "requested L", "newData(network) D", "durable D"])
    }

    // MARK: Age

    @Test("a record that is read at each start, or each time it left memory, expires all the same (S-241, S-189)")
    func restarts() {
        let time = ManualTimekeeper()
        store.put(record(World(timekeeper: time), age: 0))
        var ages: [Int64?] = []
        for _ in 0..<3 {
            let world = World(timekeeper: time, store: store)
            for _ in 0..<2 {
                time.advance(by: .seconds(9))
                let client = world.get()
                runUntilIdle(world)
                ages.append(client.isHit ? client.stored?.currentAge(at: time.now) : nil)
                world.resource().wipe()
                runUntilIdle(world)
            }
        }
        #expect(ages == [9, 18, 27, 36, 45, 54] && Set(store.log) == ["lookUp"])
        time.advance(by: .seconds(6))
        let world = World(timekeeper: time, store: store)
        let client = world.get()
        runUntilIdle(world)
        #expect(client.answers == 0 && world.provider.count == 1)
    }

    @Test("what is empty is loaded, though data may live for ever: new, wiped, purged or failed (S-240, S-085)")
    func empty() {
        var configuration = Configuration()
        configuration.expirationTime = .seconds(Int64.max)
        let world = World(store: store, configuration: configuration)
        func isLoaded() -> Bool {
            let before = world.provider.count
            world.get()
            runUntilIdle(world)
            return world.provider.count == before + 1 && !world.resource().isUpToDate
        }
        #expect(isLoaded())
        world.last.fail()
        runUntilIdle(world)
        world.timekeeper.advance(by: .seconds(2))
        #expect(isLoaded())
        world.last.answer(200, [("Cache-Control", "max-age=60")], "abc")
        runUntilIdle(world)
        #expect(world.get().isHit)
        world.resource().purge()
        runUntilIdle(world)
        #expect(isLoaded())
        world.last.answer(200, [("Cache-Control", "no-store")], "abc")
        runUntilIdle(world)
        world.resource().wipe()
        runUntilIdle(world)
        #expect(isLoaded())
    }

    // MARK: Loads of a program meanwhile

    @Test(
        "a load that begins while the store is asked serves who waits for that, unless what is found is fresh (S-091)",
        arguments: [nil, 100, 10] as [Int64?]
    )
    func loadMeanwhile(age: Int64?) {
        let (world, recorder) = world(age: age)
        let resource = world.resource()
        let waiting = resource.loadIfNeeded()
        let load = resource.load()
        runUntilIdle(world)
        let isFresh = age == 10
        #expect(world.provider.count == 1 && !load.isCompleted && waiting?.isCompleted == isFresh)
        #expect(isSame(resource.loadRequests, isFresh ? [load] : [load, waiting].compactMap(\.self)))
        world.last.answer(200, [("Cache-Control", "max-age=60")], "new")
        runUntilIdle(world)
        #expect(waiting?.result?.response.contentText == (isFresh ? "stored" : "new"))
        #expect(waiting?.result?.isNew == !isFresh && load.result?.response.contentText == "new")
        #expect(resource.loadRequests.isEmpty && resource.allRequests.isEmpty && !resource.isLoading)
        #expect(world.provider.count == 1 && recorder.events.contains("newData(network) D"))
    }

    @Test("who has joined such a load leaves it to the others, and the last to leave ends it (S-129)")
    func leavingJoinedLoad() {
        let world = World(store: store)
        let resource = world.resource()
        let requests = [resource.loadIfNeeded(), resource.load()].compactMap(\.self)
        runUntilIdle(world)
        #expect(requests.count == 2 && world.provider.count == 1)
        for request in requests {
            #expect(resource.isLoading && !world.last.isCancelled)
            request.cancel()
            runUntilIdle(world)
        }
        #expect(!resource.isLoading && world.last.isCancelled && resource.allRequests.isEmpty)
    }

    // MARK: Late answers of the store

    @Test("what a load brought while the store was asked stays (S-189)")
    func newerData() {
        let (world, recorder) = world(age: 10)
        world.resource().load()
        world.runUntilIdle()
        world.last.answer(200, [("Cache-Control", "max-age=60")], "new")
        world.runUntilIdle()
        runUntilIdle(world)
        #expect(world.get().text == "new" && !recorder.events.contains { $0.hasPrefix("newData(cache)") })
    }

    @Test("an error that came while the store was asked stays beside what is found (S-248)")
    func newerError() {
        let (world, recorder) = world(age: 10)
        world.resource().load()
        world.runUntilIdle()
        world.last.fail()
        world.runUntilIdle()
        #expect(world.resource().latestError != nil && world.resource().latestResponse == nil)
        runUntilIdle(world)
        #expect(world.resource().latestError != nil && world.resource().latestResponse != nil)
        #expect(recorder.events.suffix(2) == ["error E", "newData(cache) DE"])
        #expect(world.get().text == "stored")
    }

    @Test("an invalidation that came while the store was asked counts for what is found (S-248)")
    func newerInvalidation() {
        let (world, _) = world(age: 10)
        let client = world.get()
        world.resource().invalidate()
        runUntilIdle(world)
        #expect(client.answers == 0 && world.last.value(of: .ifNoneMatch) == "\"v1\"")
        #expect(!world.resource().isUpToDate)
    }
}
