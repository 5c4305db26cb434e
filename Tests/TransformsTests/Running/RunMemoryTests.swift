import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// Runs and the memory that they share.
@Suite("Runs that wait for memory (H-131)") struct RunMemoryTests {
    @Test("a run without memory reads nothing, whoever wakes it, and begins once there is some")
    func waits() throws {
        let scene = try RunScene(RunScene.suffix, RunScene.bytes("abc"), credit: 0, memory: 30)
        var other = scene.memory.share(for: 10) {}
        scene.start()
        scene.run.grant(1000)
        scene.runUntilIdle()
        #expect(other != nil && scene.ready == nil && scene.workers.submitted == 2)
        other = nil
        scene.runUntilIdle()
        #expect(scene.text == "abc!" && scene.memory.used == 0 && scene.memory.refused == 0)
    }

    @Test("a run that got memory in time goes on, however long its source takes afterwards")
    func inTime() throws {
        let source = RunScene.growing(expected: 3)
        let scene = try RunScene(RunScene.suffix, .growing(source), memory: 30)
        var other = scene.memory.share(for: 10) {}
        scene.start()
        scene.timekeeper.advance(by: .seconds(9))
        #expect(other != nil && scene.memory.used == 30)
        other = nil
        scene.runUntilIdle()
        #expect(scene.memory.used == 9)
        scene.timekeeper.advance(by: .seconds(60))
        scene.runUntilIdle()
        #expect(scene.ready == nil)
        source.append(ByteChunk("abc"))
        source.finish(trailers: nil)
        scene.runUntilIdle()
        #expect(scene.text == "abc!" && scene.memory.used == 0)
    }

    @Test("a run needs memory for the content that it collects, not for what streams through other steps")
    func exact() throws {
        let pipeline = Sample.pipeline(
            PipelineStep(ScriptedTransformer.suffix("!")),
            PipelineStep(ScriptedTransformer.upper)
        )
        let scene = try RunScene(pipeline, RunScene.bytes("0123456789"), memory: 33)
        let other = scene.memory.share(for: 1) {}
        scene.start()
        #expect(scene.text == "0123456789!" && other != nil && scene.memory.refused == 0)
    }

    @Test("a run behind other steps counts on content of unknown length")
    func unknown() throws {
        let pipeline = Sample.pipeline(
            PipelineStep(ScriptedTransformer.upper),
            PipelineStep(ScriptedTransformer.suffix("!"))
        )
        let source = RunScene.growing(expected: 3)
        let scene = try RunScene(pipeline, .growing(source))
        scene.start()
        #expect(scene.memory.used == 3 * 256 * 1024)
    }

    @Test("a run whose content is longer than expected fails if there is no room, and is counted")
    func longer() throws {
        let source = RunScene.growing()
        let scene = try RunScene(RunScene.suffix, .growing(source), memory: 3 * 256 * 1024 + 3)
        let other = scene.memory.share(for: 1) {}
        scene.start()
        source.append(ByteChunk([UInt8](repeating: 97, count: 256 * 1024)))
        scene.runUntilIdle()
        #expect(scene.ready == nil)
        source.append(ByteChunk("b"))
        scene.runUntilIdle()
        guard case .outOfMemory? = scene.failure else { return #expect(Bool(false)) }
        #expect(scene.memory.refused == 1 && scene.memory.used == 3 && other != nil)
        #expect(scene.outputFailure == RunFailure.outOfMemory.exchangeFailure)
    }
}
