import HTTPCaching
import HTTPCore
import Stores
import Testing

@testable import SharedStorage

/// What a node asks of the stream of purges, tells the others, and makes of what they tell.
@Suite struct PurgeExchangeTests {
    /// A node, the connection by which it follows, and what it has done.
    ///
    /// Its client has another connection.
    private final class Node {
        let world: TierWorld
        let stream = HandServer()
        private let exchange: PurgeExchange
        private let made: Pinned<[PurgeExchange.Work]>
        private let positions: Pinned<[String]>

        init(from position: String? = nil) throws {
            world = TierWorld(try #require(try SharedLoad.test()))
            let (made, positions) = (Pinned<[PurgeExchange.Work]>([]), Pinned<[String]>([]))
            world.tier.begin(from: position.flatMap { KnownPurges.Position($0) })
            exchange = PurgeExchange(
                world.client,
                stream,
                filter: { _ in nil },
                make: { made.value.append($0) },
                save: { positions.value.append($0.text) }
            )
            (self.made, self.positions) = (made, positions)
            let pinned = Pinned(exchange)
            world.tier.follow { $0(pinned.value) }
            exchange.start()
        }

        func close() { exchange.close() }

        var server: HandServer { world.server }
        var statistics: TierStatistics { world.tier.statistics }
        var saved: [String] { positions.value }

        /// What was to be made since the last call.
        func work() -> [PurgeExchange.Work] {
            defer { made.value = [] }
            return made.value
        }

        /// A node that has read that the stream is empty.
        static func following() throws -> Node {
            let node = try Node()
            node.stream.reply(.list([]))
            return node
        }

        /// New entries of the stream.
        func receive(_ entries: RedisReply...) {
            stream.reply(.list([.list([.text("respite:{purges}"), .list(entries)])]))
        }

        /// The names and values of the entry that the client adds now, without the one that names this node.
        var added: [String] { Array(server.words.dropFirst(8)) }
        var name: String { server.words.count > 7 ? server.words[7] : "" }
    }

    private static func entry(_ id: String, after previous: String, _ words: String...) -> RedisReply {
        .list([.text(id), .list((["p", previous] + words).map { .text($0) })])
    }

    private static func uri(_ number: Int) throws -> TargetURI { try TargetURI(parsing: "http://a.example/\(number)") }

    // MARK: Following

    @Test("a node reads what is there, then waits for more, and has ten seconds' patience for that")
    func following() throws {
        let node = try Node()
        #expect(node.stream.waiting == [["XRANGE"]] && node.stream.time == .seconds(1))
        #expect(!node.statistics.isFollowing && !node.world.tier.purges.isCaughtUp)
        node.stream.reply(.list([]))
        // It is new, and has nothing that could be unproven.
        #expect(node.work().isEmpty && node.statistics.resets == 0 && node.saved.isEmpty)
        #expect(node.statistics.isFollowing && node.world.tier.purges.isCaughtUp)
        #expect(node.stream.waiting == [["XREAD"]] && node.stream.time == .seconds(10))
        node.stream.reply(.nothing)
        #expect(node.stream.waiting == [["XREAD"]] && node.work().isEmpty && node.server.waiting.isEmpty)
    }

    @Test("a node that is closed closes its connection, asks nothing more, and takes that for no fault")
    func closed() throws {
        let node = try Node.following()
        node.close()
        #expect(node.stream.isClosed)
        node.stream.fail(.lost("closed"))
        node.world.tier.didMakeChanges()
        #expect(node.stream.waiting.isEmpty && node.statistics.isFollowing && node.statistics.fault == nil)
    }

    @Test("a node that has loaded something before it knew the purges has nothing proven")
    func unproven() throws {
        let node = try Node()
        node.world.tier.purges.noteLoad()
        node.stream.reply(.list([]))
        let work = node.work()
        #expect(work.map(\.isUnproven) == [true] && work.first?.changes.isEmpty == true)
        #expect(node.statistics.resets == 1 && node.stream.waiting.isEmpty && !node.statistics.isFollowing)
        node.world.tier.didMakeChanges()
        #expect(node.statistics.isFollowing && node.stream.waiting == [["XREAD"]])
    }

    @Test("what another node purges is made here before the place is saved, and counted; marks and own ones are not")
    func changes() throws {
        let node = try Node.following()
        let uri = try Self.uri(1)
        node.receive(
            Self.entry("1-0", after: "0-0", "n", "other", "c", "1", "k", "purge", "v", uri.text),
            Self.entry("2-0", after: "1-0", "n", "other", "c", "2", "k", "mark"),
            Self.entry("3-0", after: "2-0", "n", "other", "c", "3", "k", "of a later version", "v", "x")
        )
        let work = node.work()
        #expect(work.map(\.isUnproven) == [false] && work.first?.changes.map(\.uri) == [uri])
        #expect(node.statistics.purges == 1 && node.statistics.foreignPurges == 1)
        #expect(node.saved.isEmpty && node.stream.waiting.isEmpty)
        #expect(node.world.tier.isBehind(uri), "it is not made yet")
        node.world.tier.didMakeChanges()
        #expect(node.saved.map { $0.hasPrefix("3-0 ") } == [true] && node.stream.waiting == [["XREAD"]])
        #expect(!node.world.tier.isBehind(uri) && node.stream.words.last == "3-0")
        node.stream.reply(.nothing)
        #expect(node.saved.count == 1, "the place is the same")
    }

    @Test("a node that cannot read the purges asks again after growing pauses, and begins anew")
    func failures() throws {
        let node = try Node.following()
        for pause in [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000] {
            node.stream.fail(.timeout)
            #expect(!node.statistics.isFollowing && node.statistics.fault == SharedFailure.timeout.userMessage)
            node.world.advance(pause - 1)
            #expect(node.stream.waiting.isEmpty, "\(pause)")
            node.world.advance(1)
            #expect(node.stream.waiting == [["XRANGE"]])
        }
        node.stream.reply(.list([]))
        #expect(node.statistics.isFollowing && node.statistics.fault == nil)
        for reply in [RedisReply.number(1), .failure(RedisError(Array("LOADING x".utf8)))] {
            node.stream.reply(reply)
            #expect(!node.statistics.isFollowing && node.stream.waiting.isEmpty)
            node.world.advance(100)
            node.stream.reply(.list([]))
            #expect(node.statistics.isFollowing)
        }
    }

    // MARK: Announcing

    @Test("a purge of a URI takes its records off the server first; each has a number of its own")
    func announcing() throws {
        let node = try Node.following()
        let uri = try Self.uri(1)
        let index = String(decoding: ResourceKeys(uri).index, as: UTF8.self)
        node.world.tier.announce(.purge(uri))
        #expect(node.server.waiting == [["SET"]] && node.server.words.prefix(2) == ["SET", index])
        #expect(node.server.words.suffix(2) == ["PX", "3600000"] && node.statistics.announcements == 0)
        node.server.reply(.text("OK"))
        #expect(node.server.waiting == [["EVAL"]] && node.name.utf8.count == 16)
        #expect(node.added == ["c", "1", "k", "purge", "v", "http://a.example/1"])
        node.server.reply(.text("1-0"))
        #expect(node.statistics.announcements == 1 && node.server.waiting.isEmpty)
        node.world.tier.announce(.purgeTags([try #require(CacheTag("news".utf8))]))
        #expect(node.server.waiting == [["EVAL"]] && node.added.prefix(4) == ["c", "2", "k", "tags"])
    }

    @Test("what is purged before a node follows is announced once it does, in its order")
    func early() throws {
        let node = try Node()
        node.world.tier.announce(.purgeTags([try #require(CacheTag("news".utf8))]))
        node.world.tier.announce(.invalidate(try Self.uri(1)))
        #expect(node.server.waiting.isEmpty)
        node.stream.reply(.list([]))
        #expect(node.server.waiting == [["EVAL"], ["SET"]] && node.added.prefix(4) == ["c", "1", "k", "tags"])
        node.server.reply(.text("1-0"))
        node.server.reply(.text("OK"))
        #expect(node.added == ["c", "2", "k", "invalidate", "v", "http://a.example/1"])
    }

    @Test("what could not be announced is announced again a second later, and no more once it is in the stream")
    func again() throws {
        let node = try Node.following()
        node.world.tier.announce(.purgeTags([try #require(CacheTag("news".utf8))]))
        let name = node.name
        node.server.fail()
        #expect(node.statistics.refused == 1 && node.statistics.announcements == 0)
        node.world.advance(999)
        #expect(node.server.waiting.isEmpty)
        node.world.advance(1)
        #expect(node.server.waiting == [["EVAL"]] && node.added.prefix(2) == ["c", "1"])
        node.server.reply(.text("1-0"))
        // Until it is read it may be lost with the server: after a failure it is sent once more.
        node.stream.fail()
        node.world.advance(100)
        node.stream.reply(.list([]))
        #expect(node.server.waiting == [["EVAL"]])
        node.server.reply(.text("2-0"))
        node.receive(Self.entry("2-0", after: "0-0", "n", name, "c", "1", "k", "tags", "v", "tnews"))
        #expect(node.work().isEmpty && node.statistics.purges == 0, "it is this node's own")
        node.stream.fail()
        node.world.advance(100)
        node.stream.reply(.list([Self.entry("2-0", after: "0-0", "n", name, "c", "1", "k", "tags", "v", "tnews")]))
        #expect(node.statistics.isFollowing && node.server.waiting.isEmpty)
    }

    @Test("too many purges that wait for the stream become one of everything")
    func everything() throws {
        let node = try Node()
        for number in 1...4_097 { node.world.tier.announce(.purge(try Self.uri(number))) }
        node.stream.reply(.list([]))
        #expect(node.server.waiting == [["EVAL"]] && node.added == ["c", "4097", "k", "matching", "v", "**"])
    }

    @Test("a stream that lost what this node has read gets a mark behind that, again after a second if it must be")
    func marks() throws {
        let node = try Node(from: "3-0 5")
        node.stream.reply(.list([]))
        #expect(node.work().map(\.isUnproven) == [true])
        node.world.tier.didMakeChanges()
        for _ in 0..<2 {
            #expect(node.server.waiting == [["EVAL"]] && node.server.words[5] == "3-1" && node.added == ["k", "mark"])
            node.server.fail()
            node.world.advance(1_000)
        }
        node.server.reply(.text("3-1"))
        node.world.advance(5_000)
        #expect(node.server.waiting.isEmpty && node.statistics.isFollowing)
    }
}
