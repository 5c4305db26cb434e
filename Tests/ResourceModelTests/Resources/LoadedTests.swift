import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

@Suite("Loads that end with the tasks that wait")
struct LoadedTests {
    private let networking = StubNetworking()
    private let service: Service
    private var resource: Resource { service.resource("a") }

    init() {
        service = Service(baseURL: "http://origin.example", networking: networking)
        // Longer than any test takes.
        service.configure {
            $0.expirationTime = .seconds(3600)
            $0.retryTime = .seconds(3600)
        }
    }

    /// A task that waits for a load already.
    private func waiting() -> Task<Entity<any Sendable>, any Error> {
        Task.immediate { [resource] in try await resource.loaded() }
    }

    @Test("a task that waits gets the content, or the error (S-093)")
    func result() async throws {
        networking.answer { _ in .answer(200, [("Content-Type", "text/plain")], "abc") }
        #expect(try await resource.loaded().text == "abc")
        networking.answer { _ in .answer(500) }
        let error = await #expect(throws: RequestError.self) { try await resource.loaded() }
        #expect(error?.httpStatusCode == 500)
    }

    @Test("a cancelled task throws at once, and cancels the load that nobody else waits for (S-129)")
    func cancelled() async {
        let resource = resource
        let task = waiting()
        #expect(resource.isLoading)
        task.cancel()
        #expect(await Self.isCancelled(task))
        #expect(networking.last.isCancelled && !resource.isLoading)
    }

    @Test("a task that was cancelled before starts no load", arguments: [false, true])
    func cancelledBefore(ifNeeded: Bool) async {
        let resource = resource
        let task = Task {
            withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await ifNeeded ? resource.loadedIfNeeded() : resource.loaded()
        }
        #expect(await Self.isCancelled(task))
        #expect(networking.requests.isEmpty)
    }

    @Test("a hook that a program attached keeps the load; that of a decorator does not (S-124)")
    func hooks() async throws {
        service.configure { $0.decorateRequests { _, request in request.onCompletion { _ in } } }
        let resource = resource
        var task = waiting()
        let request = try #require(resource.loadIfNeeded())
        let result = LockedBox<ResponseInfo?>(nil)
        request.onCompletion { info in result.change { $0 = info } }
        task.cancel()
        #expect(await Self.isCancelled(task))
        #expect(!networking.last.isCancelled)
        networking.last.answer(200, [("Content-Type", "text/plain")], "abc")
        _ = await request.outcome
        #expect(result.value?.response.text == "abc" && resource.text == "abc")
        task = waiting()
        task.cancel()
        #expect(await Self.isCancelled(task))
        #expect(networking.last.isCancelled)
    }

    @Test("an observer keeps the load (S-105)")
    func observers() async {
        let (resource, owner) = (resource, Owner())
        resource.addObserver(owner: owner) { _, _ in }
        let task = waiting()
        task.cancel()
        #expect(await Self.isCancelled(task))
        #expect(!networking.last.isCancelled && resource.isLoading)
        withExtendedLifetime(owner) {}
    }

    @Test("an observer whose owner is gone keeps no load (S-105, S-214)")
    func goneObserver() async {
        let resource = resource
        var owner: Owner? = Owner()
        if let owner { resource.addObserver(owner: owner) { _, _ in } }
        let task = waiting()
        owner = nil
        task.cancel()
        #expect(await Self.isCancelled(task))
        #expect(owner == nil && networking.last.isCancelled && !resource.isLoading)
    }

    @Test("a task stops waiting once, with what came first")
    func waiter() async {
        for isEarly in [true, false] {
            let waiter = RequestWaiter()
            let ends = isEarly ? [waiter.end(.cancellation())] : []
            let task = Task.immediate { await waiter.info.response.isCancellation }
            let later = [waiter.end(.cancellation()), waiter.end(.cancellation())]
            #expect(ends + later == (isEarly ? [true, false, false] : [true, false]))
            #expect(await task.value)
        }
    }

    @Test("tasks that need the same data share a load, which the last of them cancels (S-087)")
    func shared() async throws {
        let resource = resource
        let tasks = (0..<3).map { _ in Task.immediate { try await resource.loadedIfNeeded() } }
        for task in tasks.dropLast() {
            task.cancel()
            #expect(await Self.isCancelled(task))
            #expect(!networking.last.isCancelled)
        }
        tasks.last?.cancel()
        #expect(networking.requests.count == 1 && networking.last.isCancelled)
    }

    @Test("known data that is up to date is returned without a load; a remembered error is thrown (S-084, S-087)")
    func known() async throws {
        networking.answer { _ in .answer(200, [("Content-Type", "text/plain")], "abc") }
        #expect(try await resource.loadedIfNeeded().text == "abc")
        #expect(try await resource.loadedIfNeeded().text == "abc")
        #expect(networking.requests.count == 1)
        networking.answer { _ in .answer(500) }
        _ = await resource.load().outcome
        await #expect(throws: RequestError.self) { try await resource.loadedIfNeeded() }
        #expect(networking.requests.count == 2)
    }

    private static func isCancelled(_ task: Task<Entity<any Sendable>, any Error>) async -> Bool {
        if case .failure(let error as RequestError) = await task.result { error.isCancellation } else { false }
    }
}
