import HTTPCore
import ResourceCore
import Stores
import TestDoubles
import Testing

@testable import SharedStorage

/// What people are told about the shared server and a request.
@Suite struct InspectionTests {
    /// Answers at once from what it has.
    private final class StockedServer: SharedServer {
        private var model: ModelServer

        init(_ model: ModelServer) { self.model = model }

        func prepare() {}
        func send(_ commands: [RedisCommand], within time: Duration, _ completion: @escaping (SharedResult) -> Void) {
            completion(.success(model.replies(to: commands)))
        }
        func listen(to channel: [UInt8], _ told: @escaping () -> Void) {}
        func leave(_ channel: [UInt8]) {}
        func close() {}
    }

    private let world: TierWorld
    private let told = Pinned<[String]>([])
    private let facts: LoadFacts

    init() throws {
        world = TierWorld(try #require(try SharedLoad.test()))
        facts = try LoadFacts.test()
    }

    /// What a look tells after these replies.
    private func sentence(_ answer: (HandServer) -> Void) -> String? {
        told.value = []
        world.tier.describe(facts) { [told] in told.value.append($0) }
        answer(world.server)
        return told.value.count == 1 ? told.value[0] : nil
    }

    @Test("a server without a response is said to have none, and the load is not claimed")
    func nothing() {
        let text = sentence { $0.reply(.nothing, .nothing, .number(-2)) }
        #expect(text == "The shared server has no response that may answer.")
        #expect(world.server.waiting.isEmpty && world.tier.statistics.misses == 0)
    }

    @Test("a look asks one question, with the time that storing has")
    func question() {
        world.tier.describe(facts) { _ in }
        #expect(world.server.waiting == [["GET", "GET", "PTTL"]])
        #expect(world.server.time == world.tier.options.storeTimeout)
    }

    @Test("why the server cannot be asked is said, and counts as no failure")
    func failures() {
        let start = "The shared server cannot be asked: "
        #expect(
            sentence { $0.fail(.timeout) } == start + "no reply within the time allowed by `shared.timeout`."
        )
        let error = RedisError(Array("LOADING x".utf8))
        #expect(
            sentence { $0.reply(.failure(error), .nothing, .nothing) }
                == start + "the server is still reading its data."
        )
        #expect(
            sentence { $0.reply(.nothing) } == start + "the server sent a reply that the command cannot have."
        )
        #expect(world.tier.statistics.failures == 0 && world.tier.statistics.fault == nil)
    }

    @Test("a server that is left out is not asked, and the reason is said")
    func leftOut() {
        let now = MonotonicTime(nanoseconds: 1_000_000_000)
        for _ in 0..<100 where !world.tier.breaker.isDown {
            guard let admission = world.tier.admit(at: now) else { break }
            world.tier.noteFailure(admission, "it is gone", at: now, wall: HTTPDate(seconds: 1_000))
        }
        #expect(sentence { _ in } == "The shared server is left out: it is gone.")
        #expect(world.server.waiting.isEmpty)
    }

    @Test("before a loop has its client, and for a request whose response is not shared, nobody is asked")
    func unasked() throws {
        let tier = SharedTier(SharedTierOptions(), timekeeper: ManualTimekeeper()) { _ in false }
        tier.describe(facts) { [told] in told.value.append($0) }
        tier.describe(try LoadFacts.test([("Range", "bytes=0-1")])) { [told] in told.value.append($0) }
        #expect(
            told.value == [
                "The shared server is not in use yet.", "Nodes do not share responses to such a request.",
            ]
        )
    }

    @Test("a response is told with its status and age, and one that was purged as such")
    func found() throws {
        // Given a server with a response that was stored ten seconds after it came
        var model = ModelServer()
        var lookUp = LookUp(world.load, sizeLimit: 8 << 20)
        let packer = RecordPacker()
        let questions = lookUp.beginning
        var step = lookUp.receive(model.replies(to: questions), packer)
        if case .ask(let commands, _) = step { step = lookUp.receive(model.replies(to: commands), packer) }
        guard case .load(let claim?) = step else {
            Issue.record("the load may not begin")
            return
        }
        var response = try RecordTests.response([
            ("Cache-Control", "max-age=60"), ("Date", "Thu, 01 Jan 1970 00:16:41 GMT"),
        ])
        response.selection = world.load.selection([])
        let times = world.load.times(of: response, at: HTTPDate(seconds: 1_010))
        let packed = packer.pack(response, [1], claim, times, id: 9)
        let record = Filling.record(packed, response, vary: [], claim, lifetime: times.lifetime)
        #expect(model.replies(to: [record]) == [.number(1)])
        // When it is looked at
        let client = TierClient(world.loop, StockedServer(model), world.tier)
        func look() { Inspection(world.load, client) { [told] in told.value.append($0) }.start() }
        look()
        #expect(world.tier.revocations.begin(.purge(response.uri), number: 1))
        look()
        // Then
        #expect(
            told.value == [
                "The shared server has a response: 200, 10 s old.",
                "The shared server has a response that was purged: it is loaded anew.",
            ]
        )
    }
}
