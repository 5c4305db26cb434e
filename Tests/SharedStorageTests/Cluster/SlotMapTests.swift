import Testing

@testable import SharedStorage

/// Which node has which slot.
@Suite struct SlotMapTests {
    private let one = ServerAddress.host("10.0.0.1", port: 1)

    private func range(_ first: Int64, _ last: Int64, _ hosts: String...) -> RedisReply {
        .list([.number(first), .number(last)] + hosts.map { .list([.text($0), .number(1), .text("id")]) })
    }

    @Test("a slot has the node of its range, and none outside of all ranges")
    func edges() throws {
        let map = try #require(SlotMap(.list([range(5, 5, "10.0.0.1"), range(7, 9, "10.0.0.2")]), from: one))
        #expect(
            (0...10).map { map.node(of: $0) != nil } == [
                false, false, false, false, false, true, false, true, true, true, false,
            ]
        )
        #expect(map.node(of: 5) == one && map.node(of: 9) == .host("10.0.0.2", port: 1))
        #expect(map.node(of: 16_383) == nil && map.node(of: 16_384) == nil)
        #expect(SlotMap(.list([range(-1, 5, "a")]), from: one) == nil)
        #expect(SlotMap(.list([range(0, 16_383, "a")]), from: one)?.node(of: 16_383) == .host("a", port: 1))
    }

    @Test("a slot that moves has its new node, and one that does not exist has none")
    func moves() throws {
        var map = SlotMap()
        map.move(16_383, to: one)
        map.move(16_384, to: .host("a", port: 1))
        #expect(map.node(of: 16_383) == one && map.node(of: 0) == nil)
        #expect(map.nodes == [one])
        map.move(0, to: one)
        map.move(1, to: .host("b", port: 1))
        #expect(map.nodes.count == 2 && map.node(of: 0) == one && map.node(of: 1) == .host("b", port: 1))
    }

    @Test("a cluster has at most 1000 nodes", arguments: [(1_000, true), (1_001, false)])
    func nodeLimit(count: Int, isMap: Bool) {
        let reply = RedisReply.list((0..<count).map { range(Int64($0), Int64($0), "h\($0)") })
        #expect((SlotMap(reply, from: one) != nil) == isMap)
    }

    @Test("replicas are known up to as many nodes, and each node once")
    func replicas() throws {
        let hosts = (0..<1_005).map { RedisReply.list([.text("h\($0)"), .number(1), .text("id")]) }
        let reply = RedisReply.list([
            .list([.number(0), .number(9)] + hosts), .list([.number(20), .number(29), hosts[1], hosts[0]]),
        ])
        let layout = try #require(ClusterLayout(reply, from: one))
        #expect(layout.nodes.count == 1_000 && layout.primaries == 2 && layout.covered == 20)
        #expect(layout.nodes[0].slots == [0...9] && layout.nodes[1].slots == [20...29])
    }

    @Test(
        "a node without a host is the one that was asked, if that has one",
        arguments: [
            (.list([.text(""), .number(5)]), .host("10.0.0.1", port: 5)),
            (.list([.text("?"), .number(5)]), .host("10.0.0.1", port: 5)),
            (.list([.text("a"), .number(5)]), .host("a", port: 5)), (.list([.text("a")]), nil),
            (.list([.text("a"), .text("5")]), nil), (.list([]), nil),
        ] as [(RedisReply, ServerAddress?)]
    )
    func hosts(node: RedisReply, address: ServerAddress?) {
        #expect(SlotMap.address(node.list ?? [], one) == address)
        guard node.list?.first?.string != "a" else { return }
        #expect(SlotMap.address(node.list ?? [], .socket("/x")) == nil)
    }
}
