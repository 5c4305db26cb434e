import HTTPCore
import RedisSupport
import TestDoubles
import TestSupport
import Testing

@testable import SharedStorage

@Suite("Waiting for another node's load")
struct WaitingTests {
    /// A client of a modelled server, on a virtual loop.
    private final class Setting {
        let time = VirtualTime()
        let cluster = ModelCluster(count: 1)
        let loop: VirtualLoop
        let client: TierClient
        let tier: SharedTier
        let load: SharedLoad

        init(seed: UInt64 = 1) throws {
            loop = VirtualLoop(time)
            tier = SharedTier(SharedTierOptions(), timekeeper: ManualTimekeeper(), workers: { _ in false })
            client = TierClient(loop, ModelNetwork(cluster, time, loop, seed: seed), tier)
            load = try #require(try SharedLoad.test())
        }

        /// Another node's lease, which does not end by itself.
        func hold() throws -> Lease {
            let keys = ResourceKeys(load.uri)
            let key = load.lease(keys, [])
            let claim = Claiming.claim(keys.index, key, content: "", holder: ResourceIndex.randomDigits())
            _ = cluster.replies(to: [claim], of: 0, at: time.now)
            let value = try #require(cluster.value(key))
            _ = cluster.replies(to: [RedisCommand("SET", key: key, [value])], of: 0, at: time.now)
            return Lease(key: key, value: value)
        }
    }

    @Test("a lease that is held for good delays a look-up by a minute")
    func forGood() throws {
        let setting = try Setting()
        _ = try setting.hold()
        var result: LookUpResult?
        setting.client.lookUp(setting.load) { result = $0 }
        setting.time.run(until: .seconds(60))
        #expect(result == nil && setting.tier.statistics.waits == 1)
        setting.time.run(until: .seconds(61))
        guard case .load(nil)? = result else { return #expect(Bool(false)) }
    }

    @Test("who waits is told at once; a message that is lost costs half a second")
    func told() throws {
        for losesMessages in [false, true] {
            let setting = try Setting()
            let lease = try setting.hold()
            var ended: Duration?
            setting.client.lookUp(setting.load) { _ in ended = setting.time.now }
            setting.time.run(until: .seconds(10))
            _ = setting.cluster.replies(to: [Claiming.release(lease, .cancelled)], of: 0, at: setting.time.now)
            if !losesMessages { for told in setting.cluster.listeners(of: lease.key) { told() } }
            setting.time.run(until: .seconds(12))
            #expect(try #require(ended) < .seconds(10) + .milliseconds(losesMessages ? 520 : 20))
        }
    }

    @Test("a load that nobody wants any more waits no longer")
    func unwanted() throws {
        let setting = try Setting()
        _ = try setting.hold()
        var isWanted = true
        var isOver = false
        setting.client.lookUp(setting.load, isWanted: { isWanted }) { _ in isOver = true }
        setting.time.run(until: .seconds(10))
        #expect(!isOver)
        isWanted = false
        setting.time.run(until: .seconds(11))
        #expect(isOver)
    }

    @Test("a real server tells who listens, until it leaves")
    func listening() throws {
        let redis = try RedisProcess()
        let run = try LoopRun(single: .socket(redis.socketPath))
        let told = WaitQueue<Int>()
        let channel = Array("respite:{1}:lease".utf8)
        run.onServer { $0.listen(to: channel) { told.push(1) } }
        try run.publish(on: channel, until: 1)
        #expect(told.pop() == 1)
        run.onServer { $0.leave(channel) }
        try run.publish(on: channel, until: 0)
    }

    @Test("the rights that docs/scaling.md grants suffice")
    func rights() throws {
        let rights = try #require(Self.documentedRights())
        let redis = try RedisProcess(.none, ["--user", "respite", "on", ">secret"] + rights)
        var options = ServerOptions()
        (options.user, options.password) = ("respite", Array("secret".utf8))
        let run = try LoopRun(single: .socket(redis.socketPath), options)
        let (index, key) = (Array("respite:{1}".utf8), Array("respite:{1}:lease".utf8))
        let holder = ResourceIndex.randomDigits()
        for _ in 0..<2 {
            let reply = try run.replies(Claiming.claim(index, key, content: "", holder: holder))[0]
            #expect(Claiming.reply(reply, key, holder: holder) != nil)
            let value = try #require(run.replies(.get("respite:{1}:lease"))[0].bytes)
            let lease = Lease(key: key, value: Array(value.prefix(48)))
            #expect(try run.replies(Claiming.renew(lease)) == [.number(1)])
            let token = String(decoding: value.prefix(32), as: UTF8.self)
            let words = [token, "0000000000000001", "", "a record", "1000", ""].map { Array($0.utf8) }
            let store = RedisCommand(script: Filling.storing, keys: [index, index + [1], key], words)
            #expect(try run.replies(store) == [.number(1)])
            _ = try run.replies(Claiming.claim(index, key, content: "", holder: holder))
            #expect(try run.replies(Claiming.release(lease, .failed)) == [.number(1)])
            _ = try run.replies(RedisCommand("SET", key: key, [value]))
        }
        let told = WaitQueue<Int>()
        run.onServer { $0.listen(to: key) { told.push(1) } }
        try run.publish(on: key, until: 1)
        #expect(told.pop() == 1)
    }

    /// The words behind the password in the manual.
    private static func documentedRights() -> [String]? {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
        let text = String(decoding: contents(root + "/docs/scaling.md"), as: UTF8.self)
        let line = text.replacing("\n", with: " ").split(separator: ">PASSWORD ").last
        return line?.split(separator: "`").first?.split(separator: " ").map(String.init)
    }

    @Test("a look-up takes a quarter of what the origin usually takes at most, and 10 ms at least")
    func quarter() throws {
        for (origin, expected) in [(nil, 50), (80, 20), (1, 10), (1_000, 50)] as [(Int?, Int)] {
            let setting = try Setting()
            setting.cluster.downUntil = .seconds(10)
            if let origin { for _ in 0..<16 { setting.client.note(.milliseconds(origin), of: setting.load) } }
            var ended: Duration?
            setting.client.lookUp(setting.load) { _ in ended = setting.time.now }
            setting.time.run(until: .milliseconds(expected))
            #expect(ended == .milliseconds(expected))
            // Only a server that takes the whole time is slow.
            setting.time.run(until: .milliseconds(49))
            #expect(setting.tier.statistics.failures == 0 || expected == 50)
            setting.time.run(until: .milliseconds(51))
            #expect(setting.tier.statistics.failures == 1)
        }
    }

    @Test("a lease that comes after the look-up was given up does not stay")
    func late() throws {
        var late = 0
        for seed in 0..<20 as Range<UInt64> {
            let setting = try Setting(seed: seed)
            for _ in 0..<16 { setting.client.note(.milliseconds(1), of: setting.load) }
            var result: LookUpResult?
            setting.client.lookUp(setting.load) { result = $0 }
            setting.time.run(until: .seconds(1))
            guard case .load(let claim)? = result else { return #expect(Bool(false)) }
            let key = setting.load.lease(ResourceKeys(setting.load.uri), [])
            #expect((claim == nil) == (setting.cluster.value(key) == nil))
            if claim == nil { late += 1 }
        }
        #expect(late > 0 && late < 20)
    }
}
