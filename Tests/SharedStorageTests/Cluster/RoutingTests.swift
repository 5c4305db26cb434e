import Testing

@testable import SharedStorage

@Suite("Commands on their way through a cluster")
struct RoutingTests {
    private let one = ServerAddress.host("10.0.0.1", port: 1)
    private let two = ServerAddress.host("10.0.0.2", port: 2)

    private func node(_ host: RedisReply, _ port: Int64) -> RedisReply { .list([host, .number(port), .text("id")]) }

    @Test("the map has the primary of each slot; a node without a host is the one that was asked")
    func map() throws {
        let reply = RedisReply.list([
            .list([.number(0), .number(100), node(.text("10.0.0.1"), 1), node(.text("10.0.0.9"), 9)]),
            .list([.number(101), .number(16_383), node(.nothing, 2)]),
        ])
        let map = try #require(SlotMap(reply, from: .host("10.0.0.2", port: 7)))
        #expect(map.node(of: 100) == one)
        #expect(map.node(of: 16_383) == two)
        #expect(map.nodes == [one, two])
    }

    @Test(
        "a reply that is no map is refused",
        arguments: [
            .nothing, .list([]), .text("x"), .list([.list([.number(0), .number(1)])]),
            .list([.list([.number(5), .number(1), .list([.text("a"), .number(1)])])]),
            .list([.list([.number(0), .number(16_384), .list([.text("a"), .number(1)])])]),
            .list([.list([.number(0), .number(1), .list([.text("a b"), .number(1)])])]),
            .list([.list([.number(0), .number(1), .list([.text("a"), .number(70_000)])])]),
        ] as [RedisReply]
    )
    func noMap(reply: RedisReply) { #expect(SlotMap(reply, from: one) == nil) }

    @Test("redirected commands alone are sent again, and the replies keep their order")
    func redirected() {
        var batch = RoutedBatch([.get("{a}1"), .get("{a}2"), .get("{a}3")])
        let moved = RedisReply.failure(RedisError(Array("MOVED 1 10.0.0.2:2".utf8)))
        #expect(batch.receive([.text("1"), moved, .text("3")], isAsking: false) == .send(to: two, isAsking: false))
        #expect(batch.rest == [.get("{a}2")])
        #expect(batch.receive([.text("2")], isAsking: false) == .done([.text("1"), .text("2"), .text("3")]))
    }

    @Test("a slot on its way is asked for behind ASKING, each command by itself")
    func asking() {
        var batch = RoutedBatch([.get("{a}1"), .get("{a}2")])
        let ask = RedisReply.failure(RedisError(Array("ASK 1 10.0.0.2:2".utf8)))
        #expect(batch.receive([ask, ask], isAsking: false) == .send(to: two, isAsking: true))
        #expect(batch.restAsking.map { $0.arguments[0] } == ["ASKING", "GET", "ASKING", "GET"].map { Array($0.utf8) })
        let replies: [RedisReply] = [.text("OK"), .text("1"), .text("OK"), .nothing]
        #expect(batch.receive(replies, isAsking: true) == .done([.text("1"), .nothing]))
    }

    @Test("a cluster that redirects for ever fails, and so does one that replies too few")
    func endless() {
        var batch = RoutedBatch([.get("a")])
        let moved = RedisReply.failure(RedisError(Array("MOVED 1 10.0.0.2:2".utf8)))
        for _ in 0..<8 { #expect(batch.receive([moved], isAsking: false) == .send(to: two, isAsking: false)) }
        guard case .fail = batch.receive([moved], isAsking: false) else { return #expect(Bool(false)) }
        #expect(batch.receive([], isAsking: false) == .fail(.unexpected))
    }

    @Test("keys on two nodes are asked for again after a pause that grows; other errors are replies")
    func pauses() {
        var batch = RoutedBatch([.get("a")])
        let again = RedisReply.failure(RedisError(Array("TRYAGAIN x".utf8)))
        #expect(batch.receive([again], isAsking: false) == .wait(.milliseconds(5)))
        #expect(batch.receive([again], isAsking: false) == .wait(.milliseconds(10)))
        let full = RedisReply.failure(RedisError(Array("OOM x".utf8)))
        #expect(batch.receive([full], isAsking: false) == .done([full]))
    }
}
