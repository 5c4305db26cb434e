import HTTPCore
import Stores
import Testing

@testable import SharedStorage

@Suite("Leases: one node loads, the others wait")
struct ClaimingTests {
    private let packer = RecordPacker()
    private let lasting = [("Cache-Control", "max-age=60"), ("Date", "Thu, 01 Jan 1970 00:16:41 GMT")]

    /// A node that wants the response.
    private struct Node {
        let load: SharedLoad
        var lookUp: LookUp

        init(_ fields: [(String, String)] = []) throws {
            load = try #require(try SharedLoad.test(fields))
            lookUp = LookUp(load, sizeLimit: 8 << 20)
        }

        /// Asks until the look-up says what to do.
        mutating func look(_ server: inout ModelServer, _ packer: RecordPacker) -> LookUp.Step {
            go(on: lookUp.beginning, &server, packer)
        }

        /// Asks once more whether it may load.
        mutating func claim(_ server: inout ModelServer, _ packer: RecordPacker) -> LookUp.Step {
            guard case .ask(let commands, _) = lookUp.claim() else { return .end(.unexpected) }
            return go(on: commands, &server, packer)
        }

        private mutating func go(
            on first: [RedisCommand],
            _ server: inout ModelServer,
            _ packer: RecordPacker
        ) -> LookUp.Step {
            var commands = first
            for _ in 0..<20 {
                let step = lookUp.receive(server.replies(to: commands), packer)
                guard case .ask(let next, _) = step else { return step }
                commands = next
            }
            return .end(.unexpected)
        }
    }

    private func store(
        _ text: String,
        by claim: Claim,
        of load: SharedLoad,
        in server: inout ModelServer
    ) throws -> Bool {
        var response = try RecordTests.response(lasting)
        response.selection = load.selection([])
        let times = load.times(of: response, at: HTTPDate(seconds: 1_010))
        let packed = packer.pack(response, Array(text.utf8), claim, times, id: 1)
        let record = Filling.record(packed, response, vary: [], claim, lifetime: times.lifetime)
        return server.replies(to: [record])[0] == .number(1)
    }

    private func claim(_ step: LookUp.Step) -> Claim? { if case .load(let claim) = step { claim } else { nil } }
    private func isWait(_ step: LookUp.Step) -> Bool { if case .wait = step { true } else { false } }
    private func answer(_ step: LookUp.Step) -> String? {
        if case .found(let answer) = step { String(decoding: answer.content, as: UTF8.self) } else { nil }
    }

    @Test("of several nodes that miss one loads; the others wait, are told, and get its response")
    func oneLoads() throws {
        var server = ModelServer()
        var (one, two, three) = (try Node(), try Node(), try Node())
        let held = try #require(claim(one.look(&server, packer)))
        let lease = try #require(held.lease)
        #expect(isWait(two.look(&server, packer)) && isWait(three.look(&server, packer)))
        #expect(isWait(two.claim(&server, packer)))
        #expect(try store("new", by: held, of: one.load, in: &server))
        #expect(server.published == [lease.key])
        #expect(answer(two.claim(&server, packer)) == "new")
        #expect(answer(three.claim(&server, packer)) == "new")
    }

    @Test("a node that looked before the response was stored, and asks after it, does not load again")
    func between() throws {
        var server = ModelServer()
        var (one, two) = (try Node(), try Node())
        // The second one looks, and its claim comes late.
        let late = two.lookUp.receive(server.replies(to: two.lookUp.beginning), packer)
        guard case .ask(let claiming, _) = late else { return #expect(Bool(false)) }
        let held = try #require(claim(one.look(&server, packer)))
        #expect(try store("new", by: held, of: one.load, in: &server))
        guard case .ask(let again, _) = two.lookUp.receive(server.replies(to: claiming), packer) else {
            return #expect(Bool(false))
        }
        #expect(answer(two.lookUp.receive(server.replies(to: again), packer)) == "new")
    }

    @Test("a response that may not be shared: for 30 s each node loads, and nobody waits")
    func unshareable() throws {
        var server = ModelServer()
        var one = try Node()
        let held = try #require(claim(one.look(&server, packer)))
        #expect(server.replies(to: [Claiming.release(try #require(held.lease), .unshareable)]) == [.number(1)])
        for _ in 0..<3 {
            var node = try Node()
            let free = try #require(claim(node.look(&server, packer)))
            #expect(free.lease == nil)
        }
        server.now += 30_000
        var later = try Node()
        #expect(try #require(claim(later.look(&server, packer))).lease != nil)
    }

    @Test("a node that dies costs its lease's time; what it does later ends nobody else's lease")
    func dead() throws {
        var server = ModelServer()
        var (one, two, three) = (try Node(), try Node(), try Node())
        let lost = try #require(claim(one.look(&server, packer)))
        server.now += 2_999
        #expect(isWait(two.look(&server, packer)))
        server.now += 1
        let held = try #require(claim(two.claim(&server, packer)))
        #expect(held.lease != nil && held.number > lost.number)
        #expect(server.replies(to: [Claiming.renew(try #require(lost.lease))]) == [.number(0)])
        for ending in [LeaseEnding.cancelled, .failed, .unshareable, .slow] {
            #expect(server.replies(to: [Claiming.release(try #require(lost.lease), ending)]) == [.number(0)])
        }
        #expect(isWait(three.look(&server, packer)))
        #expect(server.replies(to: [Claiming.renew(try #require(held.lease))]) == [.number(1)])
        server.now += 2_999
        #expect(isWait(three.claim(&server, packer)))
    }

    @Test("the response of an earlier load does not replace that of a later one")
    func order() throws {
        var server = ModelServer()
        let reload = [("Cache-Control", "no-cache")]
        var (one, two) = (try Node(reload), try Node(reload))
        let earlier = try #require(claim(one.look(&server, packer)))
        let later = try #require(claim(two.look(&server, packer)))
        #expect(earlier.lease == nil && later.lease == nil && earlier.number < later.number)
        #expect(try store("later", by: later, of: two.load, in: &server))
        #expect(try !store("earlier", by: earlier, of: one.load, in: &server))
        var three = try Node()
        #expect(answer(three.look(&server, packer)) == "later")
    }

    @Test("after a purge nobody waits for a load that began before, and its response is not stored")
    func purge() throws {
        var server = ModelServer()
        var (one, two) = (try Node(), try Node())
        let before = try #require(claim(one.look(&server, packer)))
        _ = server.replies(to: [Filling.forget(one.load.uri)])
        let after = try #require(claim(two.look(&server, packer)))
        #expect(after.lease != nil && after.token != before.token)
        #expect(try !store("before", by: before, of: one.load, in: &server))
        #expect(try store("after", by: after, of: two.load, in: &server))
    }

    @Test("a lease that another program holds, or a reply that no claim has, delays nobody for good")
    func foreign() throws {
        var server = ModelServer()
        var one = try Node()
        let lease = try #require(claim(one.look(&server, packer))?.lease)
        _ = server.replies(to: [RedisCommand("SET", key: lease.key, [Array("something".utf8)])])
        var two = try Node()
        #expect(try #require(claim(two.look(&server, packer))).lease != nil)
        for reply in [
            .nothing, .list([]), .list([.number(1)]), .list([.number(2), .text("short")]), .list([.number(9)]),
            .list([.number(1), .text("a"), .text("b")]), .text("1"),
        ] as [RedisReply] {
            #expect(Claiming.reply(reply, lease.key, holder: "1") == nil)
        }
    }
}
