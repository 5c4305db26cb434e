import HTTPCore
import Testing

@testable import ResourceCore

/// What becomes of a form when requests leave just before they wait for it.
@Suite("Forms and who waits for them") struct DerivedContentTests {
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

    private func form() throws -> RequestedForm {
        var request = world.request()
        request.prepare(world.service.configuration, world.table.environment)
        return try #require(request.form)
    }

    private func attendance() -> Attendance {
        let resource = world.resource()
        return Attendance(request: world.request(), attendant: client, link: ResourceLink(resource, resource.hash))
    }

    /// The form, which is going to be made.
    private func content() throws -> DerivedContent {
        let plan = try #require(try form().plan(status: stored.status, fields: stored.fields))
        let (configuration, environment) = (world.service.configuration, world.table.environment)
        let content = DerivedContent(plan, .stored(stored), 0, world.resource(), configuration, environment)
        content.start(of: .stored(stored))
        return content
    }

    private func join(_ content: DerivedContent, _ attendance: Attendance, isNew: Bool) -> DerivedContent.Joining {
        let waiter = DerivedContent.Waiter(attendance: attendance, original: .stored(stored), outcome: outcome)
        attendance.wait(for: content, attendant: client)
        return content.join(waiter, isNew: isNew)
    }

    @Test("who comes when all others have just left is told to ask for another")
    func lateForAll() throws {
        let content = try content()
        let (first, second) = (attendance(), attendance())
        guard case .waiting = join(content, first, isNew: true) else { throw Unexpected() }
        first.cancel()
        #expect(content.run.isCancelled && !content.takesReaders)
        guard case .over = join(content, second, isNew: false) else { throw Unexpected() }
    }

    private struct Unexpected: Error {}

    @Test("a request that was cancelled just before it waits is told nothing, and does not have the form made")
    func cancelledBefore() throws {
        let attendance = attendance()
        let deriving = DerivingAttendant(client, try form(), world.resource(), world.service.configuration)
        let answer = deriving.derive(.stored(stored, outcome)) {
            attendance.cancel()
            return attendance
        }
        #expect(answer == nil && attendance.attendant == nil)
        world.settle()
        #expect(client.answers == 0 && transformer.counts.finished == 0)
        #expect(world.get().text == "abc!")
    }

    @Test("a request that was cancelled as it came to wait with others wants nothing once these have left")
    func cancelledAmongOthers() throws {
        let content = try content()
        let (first, second) = (attendance(), attendance())
        guard case .waiting = join(content, first, isNew: true) else { throw Unexpected() }
        let waiter = DerivedContent.Waiter(attendance: second, original: .stored(stored), outcome: outcome)
        second.wait(for: content, attendant: client)
        second.cancel()
        guard case .waiting = content.join(waiter, isNew: false) else { throw Unexpected() }
        #expect(second.hasLeft(content) && second.attendant == nil)
        #expect(!content.run.isCancelled)
        first.cancel()
        #expect(content.run.isCancelled)
    }
}
