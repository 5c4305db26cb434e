import HTTPCore
import Outcomes
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

/// What becomes of a form when requests leave just before they wait for it.
@Suite("Renditions and the requests that wait for them") struct DerivedContentTests {
    private let world: World
    private let stored: StoredResponse
    private let client: Client
    private let outcome = CacheOutcome.hit
    private let transformer = ScriptedTransformer.suffix("!")

    /// A stored response of which nobody has asked for the form yet.
    init() throws {
        let world = World()
        world.fill("/a", PipelineTests.lines)
        world.service.configuration.pipeline = PipelineTests.pipeline(
            (PipelineStep(transformer), .model)
        )
        self.world = world
        stored = try #require(world.resource().latestResponse)
        client = Client(context: world.context)
    }

    private func rendition() throws -> RequestedRendition {
        var request = world.request()
        request.prepare(world.service.configuration, world.table.environment)
        return try #require(request.rendition)
    }

    private func waiter() -> Waiter {
        let resource = world.resource()
        return Waiter(request: world.request(), delegate: client, owner: ResourceLink(resource))
    }

    /// The form, which is going to be made.
    private func content() throws -> DerivedContent {
        let plan = try #require(try rendition().plan(status: stored.status, fields: stored.fields))
        let (configuration, environment) = (world.service.configuration, world.table.environment)
        let content = DerivedContent(plan, .stored(stored), 0, world.resource(), configuration, environment)
        content.start(of: .stored(stored))
        return content
    }

    private func join(_ content: DerivedContent, _ waiter: Waiter, isNew: Bool) -> DerivedContent.Joining {
        let pending = DerivedContent.PendingRendition(waiter: waiter, original: .stored(stored), outcome: outcome)
        waiter.wait(for: content, delegate: client)
        return content.join(pending, isNew: isNew)
    }

    @Test("who comes when all others have just left is told to ask for another")
    func lateForAll() throws {
        let content = try content()
        let (first, second) = (waiter(), waiter())
        guard case .waiting = join(content, first, isNew: true) else { throw Unexpected() }
        first.cancel()
        #expect(content.run.isCancelled && !content.acceptsReaders)
        guard case .over = join(content, second, isNew: false) else { throw Unexpected() }
    }

    private struct Unexpected: Error {}

    @Test("a transformer's failure does not delay loads; a load's failure still does (S-041)")
    func failing() {
        func broken(_ fingerprint: String) -> ScriptedTransformer {
            ScriptedTransformer(
                fingerprint: fingerprint,
                way: .whole { _ throws(TransformFailure) in throw TransformFailure(.invalidContent, "line 1") }
            )
        }
        let world = PipelineTests.world(broken("1"))
        let resource = world.resource()
        world.fill("/a", PipelineTests.lines)
        #expect(resource.latestFailure?.transformation != nil && resource.snapshot.error?.limitsRetries == false)
        world.timekeeper.advance(by: .seconds(61))
        world.get()
        world.last.fail()
        world.runUntilIdle()
        #expect(resource.latestFailure?.transformation == nil && resource.snapshot.error?.limitsRetries == true)
        world.service.configuration.pipeline = PipelineTests.pipeline((PipelineStep(broken("2")), .model))
        world.get("/a", [("Cache-Control", "max-stale")])
        #expect(resource.latestFailure?.transformation != nil && resource.snapshot.error?.limitsRetries == true)
    }

    @Test("a request that was cancelled just before it waits is told nothing, and does not have the form made")
    func cancelledBefore() throws {
        let waiter = waiter()
        let deriving = TransformingDelegate(client, try rendition(), world.resource(), world.service.configuration)
        let answer = deriving.derive(.stored(stored, outcome)) {
            waiter.cancel()
            return waiter
        }
        #expect(answer == nil && waiter.delegate == nil)
        world.runUntilIdle()
        #expect(client.answers == 0 && transformer.counts.finished == 0)
        #expect(world.get().text == "abc!")
    }

    @Test("a request that was cancelled as it came to wait with others wants nothing once these have left")
    func cancelledAmongOthers() throws {
        let content = try content()
        let (first, second) = (waiter(), waiter())
        guard case .waiting = join(content, first, isNew: true) else { throw Unexpected() }
        let pending = DerivedContent.PendingRendition(waiter: second, original: .stored(stored), outcome: outcome)
        second.wait(for: content, delegate: client)
        second.cancel()
        guard case .waiting = content.join(pending, isNew: false) else { throw Unexpected() }
        #expect(second.hasLeft(content) && second.delegate == nil)
        #expect(!content.run.isCancelled)
        first.cancel()
        #expect(content.run.isCancelled)
    }
}
