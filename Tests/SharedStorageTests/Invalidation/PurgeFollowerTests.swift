import HTTPCaching
import HTTPCore
import RedisSupport
import Stores
import TestSupport
import Testing

@testable import SharedStorage

@Suite("Following the purges of other nodes")
struct PurgeFollowerTests {
    /// An entry of the stream, behind another one.
    private func entry(_ id: String, after previous: String, _ text: String = "http://a.example/") -> RedisReply {
        let fields = ["p", previous, "n", "node", "c", "7", "k", "purge", "v", text]
        return .list([.text(id), .list(fields.map { .text($0) })])
    }

    private func follower(from position: String?) -> PurgeFollower {
        PurgeFollower(from: position.flatMap(PurgeID.init), filter: { _ in nil })
    }

    /// The events as words.
    private func words(_ events: [PurgeFollower.Event]?) -> [String]? {
        events?.map { event in
            switch event {
            case .change(let entry): "change \(entry.id.text)"
            case .old(let entry): "old \(entry.id.text)"
            case .unproven: "unproven"
            case .forgotten(let id): "forgotten \(id.text)"
            case .caughtUp: "caught up"
            }
        }
    }

    @Test("a node that knows nothing takes what is there for old, and proves nothing that it has")
    func new() {
        var follower = follower(from: nil)
        #expect(words(follower.receive(.list([]))) == ["unproven", "caught up"])
        follower = self.follower(from: nil)
        let reply = RedisReply.list([entry("1-0", after: "0-0"), entry("2-0", after: "1-0")])
        #expect(words(follower.receive(reply)) == ["old 1-0", "old 2-0", "unproven", "caught up"])
        #expect(follower.position == PurgeID("2-0"))
    }

    @Test("a node that was away makes the changes that it missed, and no others")
    func away() {
        var follower = follower(from: "1-0")
        let reply = RedisReply.list([
            entry("1-0", after: "0-0"), entry("2-0", after: "1-0"), entry("2-1", after: "2-0"),
        ])
        #expect(words(follower.receive(reply)) == ["old 1-0", "change 2-0", "change 2-1", "caught up"])
        #expect(words(follower.receive(.nothing)) == [])
        let next = RedisReply.list([.list([.text("respite:{purges}"), .list([entry("3-0", after: "2-1")])])])
        #expect(words(follower.receive(next)) == ["change 3-0"])
        follower.restart()
        let again = RedisReply.list([entry("3-0", after: "2-1"), entry("4-0", after: "3-0")])
        #expect(words(follower.receive(again)) == ["forgotten 2-1", "old 3-0", "change 4-0", "caught up"])
    }

    @Test("entries that were trimmed, or that the server lost, show: nothing that the node has is proven")
    func gaps() {
        // Trimmed: the first entry follows one that this node has not read.
        var trimmed = follower(from: "1-0")
        #expect(
            words(trimmed.receive(.list([entry("5-0", after: "4-0")])))
                == ["forgotten 4-0", "unproven", "forgotten 4-0", "change 5-0", "caught up"]
        )
        // The server has lost all, or its latest ones.
        var empty = follower(from: "3-0")
        #expect(words(empty.receive(.list([]))) == ["unproven", "forgotten 3-0", "caught up"])
        var shorter = follower(from: "3-0")
        #expect(
            words(shorter.receive(.list([entry("2-0", after: "0-0")])))
                == ["old 2-0", "unproven", "forgotten 3-0", "caught up"]
        )
        // It lost what this node has read, and has others since.
        var fork = follower(from: "3-0")
        #expect(
            words(fork.receive(.list([entry("2-0", after: "0-0"), entry("4-0", after: "2-0")])))
                == ["old 2-0", "unproven", "forgotten 3-0", "change 4-0", "caught up"]
        )
        let next = RedisReply.list([.list([.text("respite:{purges}"), .list([entry("6-0", after: "5-0")])])])
        #expect(words(fork.receive(next)) == ["unproven", "forgotten 5-0", "change 6-0"])
    }

    @Test("many entries are read in pages")
    func pages() {
        var follower = follower(from: "1-0")
        let many = (1...512).map { entry("\($0)-0", after: "\($0 - 1)-0") }
        #expect(follower.receive(.list(many))?.count == 512)
        #expect(!follower.isFollowing && follower.question.command.arguments[2] == Array("(512-0".utf8))
        #expect(words(follower.receive(.list([entry("513-0", after: "512-0")]))) == ["change 513-0", "caught up"])
    }

    @Test("replies that are none, and entries in no order, are refused")
    func hostile() {
        for reply in [
            .nothing, .number(1), .text("OK"), .list([.number(1)]), .list([.list([.text("x"), .list([])])]),
            .list([entry("2-0", after: "0-0"), entry("1-0", after: "2-0")]),
            .list([entry("18446744073709551616-0", after: "0-0")]),
        ] as [RedisReply] {
            var follower = follower(from: nil)
            #expect(follower.receive(reply) == nil)
        }
        var following = follower(from: nil)
        _ = following.receive(.list([]))
        for reply in [.number(1), .list([]), .list([.list([.text("a")])]), .list([.text("a")])] as [RedisReply] {
            #expect(following.receive(reply) == nil)
        }
    }

    @Test("an entry of a kind that nobody knows, too large, or with a value that is none, changes nothing")
    func foreign() throws {
        let long = String(repeating: "a", count: 9_000)
        for (kind, values) in [
            ("purge", ["no URI"]), ("purge", [long]), ("purge", []), ("tags", ["t"]), ("tags", ["x"]), ("what", ["a"]),
            ("matching", ["bad"]), ("tags", Array(repeating: "ta", count: 1_025)), ("tags", ["tnews", "t\u{0}"]),
        ] {
            let words = ["p", "0-0", "n", "1", "c", "1", "k", kind] + values.flatMap { ["v", $0] }
            let reply = RedisReply.list([.text("1-0"), .list(words.map { .text($0) })])
            let read = try #require(PurgeEntry(reply) { _ in nil })
            #expect(read.change == nil, "\(kind) \(values.first ?? "")")
        }
    }

    @Test("what one node announces a real server gives to the others, in order, each naming the one before it")
    func real() throws {
        let redis = try RedisProcess()
        let run = try LoopRun(single: .socket(redis.socketPath))
        let uri = try TargetURI(parsing: "http://a.example/x?y")
        let tags = try [#require(CacheTag("news".utf8)), #require(CacheTag(group: Array("g".utf8), of: Origin(uri)))]
        let changes: [SharedChange] = [
            .purge(uri), .invalidate(uri), .purgeTags(tags), .purgeMatching("http://a.example/**") { _ in true },
        ]
        for (number, change) in changes.enumerated() {
            _ = try run.replies(PurgeEntry.add(change, by: "me", number: UInt64(number)))
        }
        var follower = PurgeFollower(from: PurgeID.none, filter: Self.filter)
        let events = try #require(follower.receive(try run.replies(follower.question.command)[0]))
        let entries = events.compactMap { if case .change(let entry) = $0 { entry } else { nil } }
        #expect(entries.map(\.number) == [0, 1, 2, 3] && entries.allSatisfy { $0.node == "me" && $0.change != nil })
        #expect(events.count == 5 && follower.isFollowing)
        guard case .purgeTags(tags)? = entries[2].change else { return #expect(Bool(false)) }
        _ = try run.replies(PurgeEntry.add(.purge(uri), by: "me", number: 9))
        #expect(words(follower.receive(try run.replies(follower.question.command)[0]))?.count == 1)
    }

    @Sendable private static func filter(_ text: String) -> (@Sendable (TargetURI) -> Bool)? {
        guard text == "http://a.example/**" else { return nil }
        return { _ in true }
    }

    @Test("purges that wait for the stream are bounded: one of everything takes the place of too many")
    func many() throws {
        let revocations = Revocations()
        let place = try #require(PurgeID("5-0"))
        for number in 1...4_096 as ClosedRange<UInt64> {
            #expect(revocations.begin(.purge(try TargetURI(parsing: "http://a.example/\(number)")), number: number))
        }
        let other = try TargetURI(parsing: "http://b.example/")
        #expect(!revocations.isUnderWay(other, made: place))
        #expect(!revocations.begin(.purge(other), number: 5_000))
        let response = try RecordTests.response([])
        #expect(revocations.isUnderWay(other, made: place) && revocations.covers(response, seen: place))
        // One of those whose place it took.
        revocations.confirm(1, place)
        #expect(revocations.isUnderWay(other, made: place))
        revocations.confirm(5_000, place)
        #expect(!revocations.isUnderWay(other, made: place) && !revocations.covers(response, seen: place))
        #expect(revocations.covers(response, seen: .none) && revocations.horizon == place)
    }

    @Test("a purge of one URL holds until it is in the stream, and then for what is older")
    func one() throws {
        let revocations = Revocations()
        let response = try RecordTests.response([])
        let (one, two) = (try #require(PurgeID("1-0")), try #require(PurgeID("2-0")))
        #expect(
            revocations.begin(.purge(response.uri), number: 1)
                && revocations.begin(.invalidate(response.uri), number: 2)
        )
        revocations.confirm(1, one)
        #expect(revocations.isUnderWay(response.uri, made: two) && revocations.covers(response, seen: two))
        revocations.confirm(2, two)
        #expect(!revocations.isUnderWay(response.uri, made: two) && !revocations.covers(response, seen: two))
        // In the stream, and not yet made here.
        #expect(revocations.isUnderWay(response.uri, made: one) && revocations.covers(response, seen: one))
    }

    @Test("purges that are read again with each connection crowd out no others")
    func again() throws {
        let revocations = Revocations()
        let response = try RecordTests.response([("Cache-Tag", "news")])
        let tag = SharedChange.purgeTags([try #require(CacheTag("news".utf8))])
        for _ in 0..<3 {
            for number in 1...900 as ClosedRange<UInt64> { revocations.add(tag, id: PurgeID(time: number, number: 0)) }
        }
        #expect(revocations.horizon == .none)
        #expect(revocations.covers(response, seen: PurgeID(time: 899, number: 0)))
        #expect(!revocations.covers(response, seen: PurgeID(time: 900, number: 0)))
    }

    @Test("an entry that changes nothing goes behind the place that it is given, once")
    func mark() throws {
        let redis = try RedisProcess()
        let run = try LoopRun(single: .socket(redis.socketPath))
        let place = try #require(PurgeID("99999999999999-5"))
        #expect(try run.replies(PurgeEntry.mark(by: "me", after: place))[0].string == "99999999999999-6")
        #expect(try run.replies(PurgeEntry.mark(by: "me", after: place))[0].string == "99999999999999-6")
        var follower = PurgeFollower(from: PurgeID.none, filter: Self.filter)
        let events = try #require(follower.receive(try run.replies(follower.question.command)[0]))
        guard case .change(let entry)? = events.first else { return #expect(Bool(false)) }
        #expect(entry.isMark && entry.change == nil && entry.id > place)
    }

    @Test("what was read of the store before the node had caught up is validated before use")
    func early() throws {
        let purges = KnownPurges()
        purges.begin(KnownPurges.Position("1-0 0"), at: HTTPDate(seconds: 0))
        let record = try RecordTests.response([])
        #expect(purges.judged(record, wasCaughtUp: false).isInvalidated)
        purges.didCatchUp()
        #expect(purges.judged(record, wasCaughtUp: false).isInvalidated)
        #expect(!purges.judged(record, wasCaughtUp: true).isInvalidated)
    }

    @Test("a purge by tag or filter holds for what was stored by a node that did not know of it")
    func rules() throws {
        let revocations = Revocations()
        var response = try RecordTests.response([("Cache-Tag", "news, sport")])
        func change(_ tag: String) throws -> SharedChange { .purgeTags([try #require(CacheTag(tag.utf8))]) }
        let (one, two) = (try #require(PurgeID("1-0")), try #require(PurgeID("2-0")))
        // Not in the stream yet: it holds for all.
        #expect(revocations.begin(try change("news"), number: 1))
        #expect(revocations.covers(response, seen: two))
        revocations.confirm(1, one)
        #expect(!revocations.covers(response, seen: one) && revocations.covers(response, seen: .none))
        response.fields = Fields()
        #expect(!revocations.covers(response, seen: .none))
        revocations.add(.purgeMatching("x") { $0.host == Array("a.example".utf8) }, id: two)
        #expect(revocations.covers(response, seen: one) && !revocations.covers(response, seen: two))
        revocations.forget(before: try #require(PurgeID("3-0")))
        #expect(revocations.covers(response, seen: two))
    }
}
