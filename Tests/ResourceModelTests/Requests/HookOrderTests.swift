import TestDoubles
import HTTPCore
import ResourceCore
import ResourceModel
import Testing

@Suite("Hooks and results of a resource's requests")
struct HookOrderTests {
    @Test("hooks run in the order attached, never inside the call that attaches them (T-262, S-123, S-122)")
    func order() {
        let world = ProgramWorld()
        let notes = LockedBox<[String]>([])
        let request = world.resource().load()
        request.onCompletion { [weak request] _ in
            notes.change { $0.append("A") }
            request?.onCompletion { _ in notes.change { $0.append("C") } }
            notes.change { $0.append("A ends") }
        }
        request.onCompletion { _ in notes.change { $0.append("B") } }
        world.answer(200, [], "abc")
        request.onCompletion { _ in notes.change { $0.append("D") } }
        #expect(notes.value == ["A", "A ends", "B", "C"])
        world.runUntilIdle()
        #expect(notes.value == ["A", "A ends", "B", "C", "D"])
    }

    @Test("while the first result of a provider is transformed, a second one does not overtake it (S-133)")
    func secondDuringPipeline() {
        let world = ProgramWorld()
        let log = HookLog(world.resource().request(.get))
        world.networking.last.answer(200, [], "first")
        #expect(world.workers.waiting == 1)
        for status in [304, 200] as [UInt16] { world.networking.last.answer(status, [], "second") }
        #expect(world.workers.waiting == 1)
        world.runUntilIdle()
        #expect(log.notes.value.contains("newData first") && !log.notes.value.contains { $0.hasPrefix("failure") })
    }

    @Test("of a provider that reports twice the first result counts, for hooks and resource (T-263, S-121, S-133)")
    func twice() {
        let world = ProgramWorld()
        let log = HookLog(world.resource().load())
        world.answer(200, [], "first")
        world.answer(200, [], "second")
        #expect(log.notes.value.filter { $0.hasPrefix("completion") }.count == 1)
        #expect(world.resource().latestData?.plainText == "first")
    }
}
