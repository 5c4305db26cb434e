import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// When runs work, end, and let go of what they use.
@Suite("Scheduling of runs") struct RunSchedulingTests {
    private static let failure = ExchangeFailure(.responseIncomplete, "cut")

    /// Does what a test says for each piece, and passes it on.
    private struct Watching: StreamingTransformer {
        private final class Filter: ContentFilter {
            let needsWholeContent = false
            let budget: TransformBudget
            let body: @Sendable (TransformBudget) throws(TransformFailure) -> Void

            init(
                _ budget: TransformBudget,
                _ body: @escaping @Sendable (TransformBudget) throws(TransformFailure) -> Void
            ) {
                self.budget = budget
                self.body = body
            }

            func transform(
                _ input: Span<UInt8>,
                into output: inout [UInt8],
                room: Int
            ) throws(TransformFailure) -> TransformProgress {
                try body(budget)
                output.append(copying: input)
                return TransformProgress(consumed: input.count)
            }

            func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool { false }
        }

        let body: @Sendable (TransformBudget) throws(TransformFailure) -> Void
        var name: String { "watching" }
        var fingerprint: String { "" }

        func begin(
            _ head: inout EntityHead,
            _ context: TransformContext
        ) throws(TransformFailure) -> (any ContentFilter)? { Filter(context.budget, body) }
    }

    // MARK: Beginning

    @Test("without workers every run fails")
    func noWorkers() throws {
        let scene = try RunScene(RunScene.upper, RunScene.bytes("abc"), hasWorkers: false)
        scene.start()
        guard case .overloaded? = scene.failure else { return #expect(Bool(false)) }
        #expect(scene.outputFailure == RunFailure.overloaded.exchangeFailure)
    }

    /// Threads that end after the first job of each run.
    private final class EndingWorkers: TransformWorkers {
        private let first = ScriptedWorkers()

        func run() { first.run() }
        func submit(_ work: @escaping @Sendable () -> Void) -> Bool { first.submit(work) }
        func resume(_ work: @escaping @Sendable () -> Void) -> Bool { false }
    }

    @Test("a run that has begun fails, and its readers learn it, if the workers have ended", arguments: [true, false])
    func endedWorkers(waitsForSource: Bool) throws {
        let (workers, body) = (EndingWorkers(), RunScene.growing())
        // Its second job comes with more of the source, or since the first one has done eight steps.
        let content = [UInt8](repeating: 97, count: 3 * PipelineInput.step)
        let source = waitsForSource ? .growing(body) : PipelineSource.stored(.bytes(content))
        let scene = try RunScene(RunScene.upper, source, otherWorkers: workers)
        if waitsForSource { body.append(ByteChunk("a")) }
        scene.run.start(into: scene.output)
        workers.run()
        if waitsForSource {
            #expect(scene.text == "A" && scene.end == nil)
            body.append(ByteChunk("b"))
        }
        guard case .failure(.overloaded)? = scene.end else {
            Issue.record("\(String(describing: scene.end))")
            return
        }
        #expect(scene.isChanged && scene.read().isEmpty == waitsForSource)
        #expect(scene.outputFailure == RunFailure.overloaded.exchangeFailure)
    }

    @Test("who asks for the head after it is known gets it at once")
    func late() throws {
        let scene = try RunScene(RunScene.upper, RunScene.bytes("abc"))
        let early = LockedBox(0)
        scene.run.whenReady { _ in early.change { $0 += 1 } }
        #expect(early.value == 0)
        scene.start()
        let late = LockedBox(0)
        scene.run.whenReady { _ in late.change { $0 += 1 } }
        #expect(early.value == 1 && late.value == 1)
    }

    @Test("empty content goes through no step, and the head comes with the end")
    func empty() throws {
        let upper = ScriptedTransformer.upper
        let scene = try RunScene(Sample.pipeline(PipelineStep(upper)), RunScene.bytes(""))
        scene.start()
        #expect(scene.isChanged && scene.output.isComplete && scene.text.isEmpty)
        #expect(upper.counts.pieces == 0 && upper.counts.finished == 1)
    }

    @Test("a run that is failed while its job waits never works")
    func failedWhileQueued() throws {
        let suffix = ScriptedTransformer.suffix("!")
        let scene = try RunScene(Sample.pipeline(PipelineStep(suffix)), RunScene.bytes("abc"))
        scene.run.start(into: scene.output)
        scene.run.fail(.interrupted(Self.failure), scene.output)
        scene.runUntilIdle()
        guard case .interrupted(Self.failure)? = scene.failure else { return #expect(Bool(false)) }
        #expect(suffix.counts.begun == 0 && scene.outputFailure == Self.failure)
    }

    @Test(
        "after eight steps a run makes room for others, and asks for a worker anew",
        arguments: [(2, 1), (3, 2), (6, 2), (7, 3)]
    )
    func turns(pieces: Int, jobs: Int) throws {
        // Each piece takes two steps, and the end three.
        let content = [UInt8](repeating: 97, count: pieces * PipelineInput.step)
        let scene = try RunScene(RunScene.upper, .stored(.bytes(content)))
        scene.start()
        #expect(scene.output.isComplete && scene.workers.submitted == jobs)
    }

    @Test("an event stream that a step needs as a whole has no head before its end")
    func wholeEventStream() throws {
        let source = RunScene.growing()
        let scene = try RunScene(RunScene.suffix, .growing(source), fields: [("Content-Type", "text/event-stream")])
        scene.start()
        source.append(ByteChunk("data"))
        scene.runUntilIdle()
        #expect(scene.ready == nil)
        source.finish(trailers: nil)
        scene.runUntilIdle()
        #expect(scene.isChanged && scene.text == "data!")
    }

    // MARK: Credit

    @Test("a byte of credit is enough to go on; none makes the run wait, with the head known")
    func credit() throws {
        let scene = try RunScene(RunScene.upper, RunScene.bytes("abc"), credit: 1)
        scene.start()
        #expect(scene.text == "ABC" && scene.isChanged && scene.end == nil)
        let dry = try RunScene(RunScene.upper, RunScene.bytes("abc"), credit: 0)
        dry.start()
        #expect(dry.isChanged && dry.text.isEmpty && dry.workers.submitted == 1)
        dry.run.grant(1)
        dry.runUntilIdle()
        #expect(dry.text == "ABC")
    }

    @Test("a step puts out 256 KiB at once, however large its result is")
    func room() throws {
        let content = [UInt8](repeating: 97, count: 600 * 1024)
        let scene = try RunScene(RunScene.suffix, .stored(.bytes(content)), credit: 1)
        scene.start()
        #expect(scene.isChanged && scene.output.received == 256 * 1024)
        scene.run.grant(256 * 1024)
        scene.runUntilIdle()
        #expect(scene.output.received == 512 * 1024 && scene.end == nil)
    }

    @Test("a grant that comes while the run works is not lost, though the workers are full", arguments: [false, true])
    func grantMeanwhile(isFull: Bool) throws {
        let content = [UInt8](repeating: 97, count: 11 * 64 * 1024)
        let scene = try RunScene(RunScene.suffix, .stored(.bytes(content)), credit: 100)
        scene.run.whenReady { [run = scene.run] _ in run.grant(1 << 30) }
        scene.run.start(into: scene.output)
        scene.workers.isFull = isFull
        scene.runUntilIdle()
        #expect(scene.output.isComplete && scene.output.received == Int64(content.count + 1))
    }

    @Test("without a grant, content that comes at the end stops where the credit is used up, with the head known")
    func stopsAtEnd() throws {
        let scene = try RunScene(RunScene.suffix, RunScene.bytes("abc"), credit: 1)
        scene.start()
        #expect(scene.isChanged && scene.text == "abc!" && scene.end == nil && !scene.output.isComplete)
        scene.run.grant(100)
        scene.runUntilIdle()
        #expect(scene.output.isComplete && scene.end != nil)
    }

    // MARK: Ending

    @Test("a run that waits for its source ends when it is cancelled")
    func cancelledIdle() throws {
        let scene = try RunScene(RunScene.upper, .growing(RunScene.growing()))
        scene.start()
        scene.run.cancel()
        scene.runUntilIdle()
        guard case .cancelled? = scene.failure else { return #expect(Bool(false)) }
        #expect(scene.end == nil && scene.outputFailure == RunFailure.cancelled.exchangeFailure)
        let submitted = scene.workers.submitted
        scene.run.cancel()
        #expect(scene.workers.submitted == submitted, "it is over")
    }

    @Test("a transformer that works long learns that the run is cancelled; no second job begins meanwhile")
    func cancelledAtWork() throws {
        let run = LockedBox<PipelineRun?>(nil)
        let failures = LockedBox<[TransformFailure]>([])
        let step = Watching { budget throws(TransformFailure) in
            run.value?.cancel()
            do throws(TransformFailure) {
                try budget.check()
            } catch {
                failures.change { $0.append(error) }
                throw error
            }
        }
        let scene = try RunScene(Sample.pipeline(PipelineStep(step)), RunScene.bytes("abc"))
        run.change { $0 = scene.run }
        scene.start()
        #expect(failures.value == [TransformFailure(.failed, "the result is no longer wanted")])
        #expect(scene.text.isEmpty && scene.end == nil && !scene.output.isComplete)
        #expect(scene.workers.submitted == 1)
        run.change { $0 = nil }
    }

    @Test("the source is released when the run is abandoned before it began, and when it is over", arguments: 0..<3)
    func released(way: Int) throws {
        weak var source: GrowingBody?
        let scene: RunScene
        do {
            let body = RunScene.growing()
            source = body
            scene = try RunScene(RunScene.upper, .growing(body))
            if way > 0 {
                scene.start()
                body.append(ByteChunk("abc"))
                if way == 1 { body.finish(trailers: nil) } else { body.fail(Self.failure) }
                scene.runUntilIdle()
            }
        }
        if way == 0 {
            #expect(source != nil)
            scene.run.abandon()
        }
        #expect(source == nil)
        #expect(scene.output.isComplete == (way == 1))
    }

    @Test("a run that has begun goes on although it is abandoned")
    func abandonedAtWork() throws {
        let scene = try RunScene(RunScene.suffix, RunScene.bytes("abc"))
        scene.run.start(into: scene.output)
        scene.run.abandon()
        scene.runUntilIdle()
        #expect(scene.text == "abc!" && scene.output.isComplete)
    }

    // MARK: Time

    @Test("the time of all pieces counts together, without the time between them", arguments: [false, true])
    func time(isTooLong: Bool) throws {
        var limits = TransformLimits()
        limits.time = .seconds(10)
        let clock = LockedBox<ManualTimekeeper?>(nil)
        let slow = ScriptedTransformer(
            way: .streaming { byte in
                clock.value?.advance(by: .seconds(6))
                return [byte]
            }
        )
        let source = RunScene.growing()
        let scene = try RunScene(Sample.pipeline(PipelineStep(slow)), .growing(source), limits: limits)
        clock.change { $0 = scene.timekeeper }
        scene.start()
        source.append(ByteChunk("a"))
        scene.runUntilIdle()
        scene.timekeeper.advance(by: .seconds(60))
        if isTooLong { source.append(ByteChunk("b")) }
        source.finish(trailers: nil)
        scene.runUntilIdle()
        #expect(scene.output.isComplete == !isTooLong)
        if !isTooLong, case .success(nil)? = scene.end { return }
        guard case .failure(.transformation(let failure))? = scene.end else { return #expect(Bool(false)) }
        #expect(failure.failure.reason == .limit && failure.transformer == "scripted" && failure.stage == "model")
    }
}
