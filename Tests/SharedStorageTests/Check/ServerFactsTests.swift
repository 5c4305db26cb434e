import Testing

@testable import SharedStorage

@Suite("What servers say of themselves when a check asks")
struct ServerFactsTests {
    private let nothing = RedisReply.failure(RedisError(Array("NOPERM no".utf8)))

    @Test("memory and policy come from INFO, or else from CONFIG GET; without the right to either they are not known")
    func memory() {
        let info = RedisReply.text("# Memory\r\nused_memory:1\r\nmaxmemory:1048576\r\nmaxmemory_policy:allkeys-lru\r\n")
        let list = RedisReply.list(
            ["maxmemory", "5", "maxmemory-policy", "noeviction", "maxmemory-samples", "5"].map { .text($0) }
        )
        let one = ServerMemory(info: info, configuration: list)
        #expect(one?.policy == "allkeys-lru" && one?.limit == 1 << 20)
        let other = ServerMemory(info: nothing, configuration: list)
        #expect(other?.policy == "noeviction" && other?.limit == 5)
        #expect(ServerMemory(info: nothing, configuration: nothing) == nil)
        #expect(ServerMemory(info: .text("maxmemory:x\nmaxmemory_policy:y"), configuration: .list([.text("a")])) == nil)
    }

    private func node(_ host: String, _ port: Int64) -> RedisReply { .list([.text(host), .number(port), .text("id")]) }

    @Test("primaries, replicas and slots without a node are read; a node with several ranges is one node")
    func layout() throws {
        let reply = RedisReply.list([
            .list([.number(0), .number(100), node("10.0.0.1", 1), node("10.0.0.9", 9)]),
            .list([.number(200), .number(16_383), node("10.0.0.1", 1), node("10.0.0.9", 9)]),
        ])
        let layout = try #require(ClusterLayout(reply, from: .host("10.0.0.1", port: 1)))
        #expect(layout.nodes.count == 2 && layout.primaries == 1 && layout.covered == 16_384 - 99)
        #expect(layout.nodes[0].has(100) && !layout.nodes[0].has(101) && layout.nodes[0].has(16_383))
        #expect(layout.nodes[1].slots.isEmpty)
    }

    @Test("a reply that is no map is none", arguments: [.nothing, .list([]), .list([.number(1)])] as [RedisReply])
    func noLayout(reply: RedisReply) { #expect(ClusterLayout(reply, from: .socket("/x")) == nil) }

    @Test("the commands of the trial do on a model of a server what they should")
    func trial() {
        let keys = CheckKeys("1")
        var (trial, server) = (ScriptTrial(keys), ModelServer())
        // The model reads the stream in one form only.
        var replies = server.replies(to: trial.beginning.filter { $0.arguments[0] != Array("XREAD".utf8) })
        replies.append(replies[3])
        guard case .ask(let next) = trial.receive(replies) else { return #expect(Bool(false)) }
        guard case .done(let fault) = trial.receive(server.replies(to: next)) else { return #expect(Bool(false)) }
        #expect(fault == nil)
        #expect(server.value(keys.record) != nil && server.value(keys.lease) == nil)
    }

    @Test("a trial names the first step that failed, with the server's words")
    func failedTrial() {
        let error = RedisReply.failure(RedisError(Array("ERR no scripts here".utf8)))
        var trial = ScriptTrial(CheckKeys("1"))
        guard case .done(let fault) = trial.receive([error, error, .number(0), .list([]), .nothing]) else {
            return #expect(Bool(false))
        }
        #expect(fault == "a lease was not given (ERR no scripts here)")
        var (other, server) = (ScriptTrial(CheckKeys("1")), ModelServer())
        let claim = server.replies(to: Array(other.beginning.prefix(1)))
        guard case .done(let second) = other.receive(claim + [.text("1-0"), .number(1), .list([]), .nothing]) else {
            return #expect(Bool(false))
        }
        #expect(second == "a purge was not announced")
    }
}
