import HTTPCore
import Testing

@testable import SharedStorage

/// What becomes of a lease while its load is in progress.
@Suite struct LeaseKeeperTests {
    private let world: TierWorld
    private let lease: Lease

    init() throws {
        world = TierWorld(try #require(try SharedLoad.test()))
        lease = try #require(world.claim.lease)
        world.client.keep(lease, of: world.claim, for: world.load)
        world.tier.fills.note(world.load, world.claim, seen: .none)
    }

    private var keeper: LeaseKeeper? { world.client.keeper(of: lease) }
    private var isPending: Bool { world.tier.fills.drop(world.claim, of: world.load.uri) }

    private func head(_ control: String, _ status: UInt16 = 200, length: Int? = nil) -> ResponseHead {
        var head = ResponseHead(status: status)
        head.fields.append(name: "Cache-Control", value: control)
        head.contentLength = length.map(Int64.init)
        return head
    }

    @Test("a lease is renewed each second, until the server says that it is lost")
    func renewals() {
        #expect(world.server.isPrepared && world.tier.statistics.heldLeases == 1 && world.tier.statistics.leases == 1)
        world.advance(999)
        #expect(world.server.waiting.isEmpty)
        world.advance(1)
        #expect(world.server.waiting == [["EVAL"]] && world.server.lastWord == "3000")
        world.server.reply(.number(1))
        world.advance(1_000)
        world.server.fail()
        world.advance(1_000)
        #expect(world.server.waiting == [["EVAL"]] && world.tier.statistics.lostLeases == 0)
        world.server.reply(.number(0))
        #expect(world.tier.statistics.lostLeases == 1 && world.tier.statistics.heldLeases == 0 && keeper == nil)
        world.advance(5_000)
        #expect(world.server.waiting.isEmpty)
    }

    @Test("a lease ends once, with its pause; nothing is renewed then, and only a final end forgets the load")
    func endings() {
        let kept = keeper
        kept?.end(.slow)
        #expect(world.server.waiting == [["EVAL"]] && world.server.lastWord == "10000")
        kept?.end(.failed)
        world.advance(5_000)
        #expect(world.server.waiting == [["EVAL"]] && world.tier.statistics.heldLeases == 0 && keeper == nil)
        #expect(isPending)
    }

    @Test(
        "a load that failed, or that nobody wants, may not store what comes",
        arguments: [LeaseEnding.failed, .cancelled]
    )
    func final(ending: LeaseEnding) {
        keeper?.end(ending)
        #expect(!isPending)
    }

    @Test("a response that may not be shared ends the lease, one that may has two seconds for its content")
    func heads() {
        keeper?.didReceive(head("no-store", 304))
        #expect(world.server.waiting.isEmpty)
        world.advance(900)
        keeper?.didReceive(head("max-age=60"))
        world.advance(100)
        world.server.reply(.number(1))
        world.advance(1_000)
        world.server.reply(.number(1))
        world.advance(899)
        #expect(world.server.waiting.isEmpty && keeper != nil)
        world.advance(1)
        #expect(world.server.lastWord == "10000" && keeper == nil)
    }

    @Test("a response that is for one client leaves a long pause")
    func unshareable() {
        keeper?.didReceive(head("no-store"))
        #expect(world.server.lastWord == "30000" && keeper == nil)
    }

    @Test("a response as large as may be shared keeps the lease, a larger one does not")
    func sizes() {
        let limit = world.tier.options.maximumObjectSize
        keeper?.didReceive(head("max-age=60", length: limit))
        #expect(keeper != nil)
        keeper?.didReceive(limit - 1)
        keeper?.didReceive(1)
        #expect(keeper != nil)
        keeper?.didReceive(1)
        #expect(keeper == nil && world.server.lastWord == "10000")
    }

    @Test("a length above what may be shared ends the lease at once")
    func length() {
        keeper?.didReceive(head("max-age=60", length: world.tier.options.maximumObjectSize + 1))
        #expect(keeper == nil && world.server.lastWord == "10000")
    }

    @Test("a response that is not stored a tenth of a second after its end is none to wait for")
    func unstored() {
        let kept = keeper
        kept?.didEnd()
        kept?.didEnd()
        #expect(keeper == nil && world.server.waiting.isEmpty && world.tier.statistics.heldLeases == 0)
        world.advance(99)
        #expect(world.server.waiting.isEmpty)
        world.advance(1)
        #expect(world.server.waiting == [["EVAL"]] && world.server.lastWord == "30000")
    }

    @Test("a lease that was not renewed for half a second is renewed for the storing, and one that was stored is left")
    func stored() {
        world.advance(501)
        keeper?.didEnd()
        #expect(world.server.waiting == [["EVAL"]] && world.server.lastWord == "3000")
        #expect(isPending)
        world.advance(1_000)
        #expect(world.server.waiting.count == 1)
    }

    @Test("half a second after its renewal a lease needs no other")
    func recent() {
        world.advance(500)
        keeper?.didEnd()
        #expect(world.server.waiting.isEmpty)
    }
}
