import HTTPCore
import ResourceCore
import Stores
import Testing

@testable import SharedStorage

/// Look-ups of one loop, step by step.
@Suite struct TierClientTests {
    private let world: TierWorld
    private let results = Pinned<[String]>([])

    init() throws { world = TierWorld(try #require(try SharedLoad.test())) }

    private func lookUp(isWanted: @escaping () -> Bool = { true }) {
        world.client.lookUp(world.load, isWanted: isWanted) { [results] result in
            switch result {
            case .found: results.value.append("found")
            case .load(let claim?): results.value.append(claim.lease == nil ? "load" : "load with lease")
            case .load(nil): results.value.append("load alone")
            }
        }
    }

    private func replyNothing() { replyNothing(world) }
    private func replyNothing(_ world: TierWorld) { world.server.reply(.nothing, .nothing, .number(-2)) }
    private func replyClaim(_ state: Int64) {
        world.server.reply(.list([.number(state), .text(world.claim.token), .text(world.claim.number)]))
    }

    @Test("what is not there is claimed, and loaded with a lease or without")
    func claimed() {
        for (state, expected) in [(1, "load with lease"), (0, "load")] as [(Int64, String)] {
            lookUp()
            #expect(world.server.waiting == [["GET", "GET", "PTTL"]])
            replyNothing()
            #expect(world.server.waiting == [["EVAL"]])
            replyClaim(state)
            #expect(results.value == [expected])
            results.value = []
        }
        #expect(world.tier.statistics.misses == 2 && world.tier.statistics.failures == 0)
    }

    @Test("a look-up that has used its fifty milliseconds asks no more")
    func time() {
        lookUp()
        world.advance(49)
        replyNothing()
        #expect(world.server.waiting == [["EVAL"]] && results.value.isEmpty)
        replyClaim(0)
        lookUp()
        world.advance(50)
        replyNothing()
        #expect(world.server.waiting.isEmpty && results.value == ["load", "load alone"])
        #expect(world.tier.statistics.failures == 1)
    }

    @Test("errors and replies that are none fail the look-up, which is told once")
    func failures() {
        lookUp()
        world.server.fail(.busy)
        lookUp()
        world.server.reply(.failure(RedisError(Array("LOADING x".utf8))), .nothing, .nothing)
        lookUp()
        world.server.reply(.nothing)
        #expect(results.value == Array(repeating: "load alone", count: 3) && world.tier.statistics.failures == 3)
        #expect(world.tier.statistics.fault == SharedFailure.unexpected.userMessage)
    }

    @Test("a look-up is given up after a quarter of what the origin takes, ten milliseconds at least")
    func givenUp() {
        for (origin, limit) in [(100, 25), (8, 10)] {
            for _ in 0..<16 { world.client.note(.milliseconds(origin), of: world.load) }
            results.value = []
            let skipped = world.tier.statistics.skipped
            lookUp()
            world.advance(limit - 1)
            #expect(results.value.isEmpty)
            world.advance(1)
            #expect(results.value == ["load alone"] && world.tier.statistics.skipped == skipped + 1)
            replyNothing()
            #expect(world.server.waiting.isEmpty && results.value.count == 1)
        }
    }

    @Test("a lease that comes after the look-up was given up is released at once")
    func lateLease() {
        for _ in 0..<16 { world.client.note(.milliseconds(100), of: world.load) }
        lookUp()
        replyNothing()
        world.advance(25)
        #expect(results.value == ["load alone"])
        replyClaim(1)
        #expect(world.server.waiting == [["EVAL"]] && world.server.lastWord == "0")
    }

    @Test("another node's load is waited for, and asked for again after growing pauses or when it is published")
    func waiting() {
        lookUp()
        replyNothing()
        func replyWait() {
            world.server.reply(.list([.number(2), .text(world.claim.token + world.claim.number)]))
        }
        for pause in [20, 40, 80, 160, 320, 500, 500] {
            replyWait()
            #expect(world.server.channels == 1)
            world.advance(pause - 1)
            #expect(world.server.waiting.isEmpty)
            world.advance(1)
            #expect(world.server.waiting == [["EVAL"]])
        }
        replyWait()
        world.server.tell()
        #expect(world.server.waiting == [["EVAL"]] && results.value.isEmpty)
        replyClaim(1)
        #expect(results.value == ["load with lease"] && world.server.channels == 0)
        #expect(world.tier.statistics.waits == 1)
        world.advance(1_000)
        #expect(world.server.waiting.isEmpty)
    }

    @Test("a resource that changes while it is claimed is looked up four times, and then loaded alone")
    func changing() {
        lookUp()
        for _ in 0..<3 {
            replyNothing()
            world.server.reply(.list([.number(3)]))
            #expect(world.server.waiting == [["GET", "GET", "PTTL"]] && results.value.isEmpty)
        }
        replyNothing()
        world.server.reply(.list([.number(3)]))
        #expect(world.server.waiting.isEmpty && results.value == ["load alone"])
    }

    @Test("nobody waits who is not wanted any more, and nobody longer than a minute")
    func endOfWaiting() {
        let isWanted = Pinned(true)
        func wait() { world.server.reply(.list([.number(2), .text(world.claim.token + world.claim.number)])) }
        lookUp { isWanted.value }
        replyNothing()
        wait()
        isWanted.value = false
        world.advance(20)
        #expect(results.value == ["load alone"] && world.server.channels == 0 && world.server.waiting.isEmpty)
        lookUp()
        replyNothing()
        wait()
        world.advance(59_999)
        wait()
        #expect(results.value.count == 1 && world.server.channels == 1)
        world.advance(500)
        wait()
        #expect(results.value == ["load alone", "load alone"] && world.server.channels == 0)
    }

    @Test("a URL whose purge is not known to all yet is not looked up, and without the stream it is loaded at once")
    func behind() {
        _ = world.tier.revocations.begin(.purge(world.load.uri), number: 1)
        lookUp()
        world.advance(0)
        #expect(world.server.waiting.isEmpty && results.value == ["load alone"])
        world.tier.didCatchUp()
        lookUp()
        world.advance(4)
        #expect(world.server.waiting.isEmpty && results.value.count == 1)
        world.tier.revocations.confirm(1, .none)
        world.advance(2)
        #expect(world.server.waiting == [["GET", "GET", "PTTL"]])
        world.server.fail()
        _ = world.tier.revocations.begin(.purge(world.load.uri), number: 2)
        lookUp()
        world.advance(49)
        #expect(results.value.count == 2)
        world.advance(3)
        #expect(results.value.count == 3 && world.server.waiting.isEmpty)
    }

    @Test("after a start it is first learnt which records count")
    func start() {
        world.tier.begin(from: nil)
        lookUp()
        world.advance(4)
        #expect(world.server.waiting.isEmpty && results.value.isEmpty && world.tier.purges.isNew)
        world.tier.didCatchUp()
        world.advance(2)
        #expect(world.server.waiting == [["GET", "GET", "PTTL"]])
        world.server.fail()
        world.tier.begin(from: nil)
        lookUp()
        world.advance(52)
        #expect(results.value == ["load alone", "load alone"] && !world.tier.purges.isNew)
    }

    @Test("who waits listens for one load alone, also once names in Vary show that it is another one")
    func otherChannel() throws {
        let world = TierWorld(try #require(try SharedLoad.test([("Accept-Language", "en")])))
        world.client.lookUp(world.load) { _ in }
        func wait() { world.server.reply(.list([.number(2), .text(world.claim.token + world.claim.number)])) }
        replyNothing(world)
        wait()
        #expect(world.server.channels == 1)
        world.advance(20)
        world.server.reply(.list([.number(3)]))
        let index = ResourceIndex(token: world.claim.token, vary: [Array("accept-language".utf8)])
        world.server.reply(.text(index.encoded), .nothing, .number(-2))
        #expect(world.server.waiting == [["GET", "PTTL"]])
        world.server.reply(.nothing, .number(-2))
        #expect(world.server.waiting == [["EVAL"]])
        wait()
        #expect(world.server.channels == 1 && world.tier.statistics.waits == 1)
    }

    @Test("while the server is left out, a look-up does not ask it, and its load begins at once")
    func leftOut() {
        var count = 0
        repeat {
            lookUp()
            world.server.fail()
            count += 1
        } while !world.tier.breaker.isDown && count < 100
        #expect(world.tier.breaker.isDown && results.value.count == count && world.tier.statistics.skipped == 0)
        lookUp()
        #expect(world.server.waiting.isEmpty && results.value.count == count)
        world.advance(0)
        #expect(results.value == Array(repeating: "load alone", count: count + 1))
        #expect(world.tier.statistics.skipped == 1 && world.tier.statistics.failures == count)
    }

    // MARK: Storing

    private func fill(_ body: [UInt8], _ control: String = "max-age=60") throws {
        world.tier.fills.note(world.load, world.claim, seen: .none)
        var response = try RecordTests.response([("Cache-Control", control)])
        response.selection = world.load.selection([])
        response.responseTime = world.loop.wallNow
        response.requestTime = world.loop.wallNow
        response.body = .bytes(body)
        world.tier.fill(response)
    }

    @Test("a record is stored by one command, and counted if the server took it")
    func stored() throws {
        for (reply, count) in [(RedisReply.number(1), 1), (.number(0), 1), (.nothing, 1)] {
            try fill([1, 2, 3])
            #expect(world.server.waiting == [["EVAL"]])
            world.server.reply(reply)
            #expect(world.tier.statistics.stored == count && world.server.waiting.isEmpty)
        }
        #expect(world.tier.statistics.refused == 0)
    }

    @Test("pieces come before their record; if the server refuses them, the lease ends and nothing more is sent")
    func pieces() throws {
        try fill(noise(600_000))
        #expect(world.server.waiting == [["SET", "SET"]])
        world.server.reply(.text("OK"), .text("OK"))
        #expect(world.server.waiting == [["EVAL"]])
        world.server.reply(.failure(RedisError(Array("OOM x".utf8))))
        #expect(world.tier.statistics.refused == 1 && world.server.lastWord == "30000")
        world.server.reply(.number(1))
        try fill(noise(600_000))
        world.server.reply(.text("OK"), .failure(RedisError(Array("OOM x".utf8))))
        #expect(world.tier.statistics.refused == 2 && world.server.waiting == [["EVAL"]])
        #expect(world.server.lastWord == "30000" && world.tier.statistics.stored == 0)
    }

    @Test("what has no lifetime left, or more content than may be shared, ends the lease")
    func unshared() throws {
        for (size, control) in [(1, "max-age=0"), ((8 << 20) + 1, "max-age=60")] {
            try fill([UInt8](repeating: 0, count: size), control)
            #expect(world.server.waiting == [["EVAL"]] && world.server.lastWord == "30000")
            world.server.reply(.number(1))
        }
        try fill([UInt8](repeating: 0, count: 8 << 20))
        #expect(world.server.waiting.first?.count == 16)
        world.server.fail()
        world.server.reply(.number(1))
    }
}
