import HTTPCaching
import HTTPCore
import Stores
import Testing

@testable import SharedStorage

/// What a node knows of the purges, and which of its own still wait.
@Suite struct KnownPurgesTests {
    private static func record(_ seconds: Int64) throws -> StoredRecord {
        var record = try RecordTests.response([])
        record.responseTime = HTTPDate(seconds: seconds)
        return record
    }

    @Test("a position is the place and the time since when all is proven, two words")
    func positions() {
        #expect(KnownPurges.Position("1-2 3\n")?.text == "1-2 3\n")
        #expect(KnownPurges.Position(" 1-2\t-3 ")?.text == "1-2 -3\n")
        for text in ["", "1-2", "1-2 3 4", "1 3", "1-2 x"] { #expect(KnownPurges.Position(text) == nil, "\(text)") }
    }

    @Test("without a position nothing from before is proven, with one all since its time is")
    func proven() throws {
        let purges = KnownPurges()
        purges.begin(nil, at: HTTPDate(seconds: 7))
        purges.didCatchUp()
        #expect(purges.saved == nil && purges.applied == .none)
        #expect(try purges.judged(Self.record(6), wasCaughtUp: true).isInvalidated)
        #expect(try !purges.judged(Self.record(7), wasCaughtUp: true).isInvalidated)
        purges.begin(KnownPurges.Position("4-0 5"), at: HTTPDate(seconds: 7))
        #expect(purges.saved == PurgeID("4-0") && purges.applied == PurgeID("4-0") && !purges.isCaughtUp)
        purges.didCatchUp()
        #expect(try purges.judged(Self.record(4), wasCaughtUp: true).isInvalidated)
        #expect(try !purges.judged(Self.record(5), wasCaughtUp: true).isInvalidated)
    }

    @Test("a gap disproves all up to the second in which it was found")
    func disproved() throws {
        let purges = KnownPurges()
        purges.begin(KnownPurges.Position("4-0 5"), at: HTTPDate(seconds: 7))
        purges.didCatchUp()
        purges.disprove(at: HTTPDate(seconds: 9))
        #expect(try purges.judged(Self.record(9), wasCaughtUp: true).isInvalidated)
        #expect(try !purges.judged(Self.record(10), wasCaughtUp: true).isInvalidated)
        #expect(purges.didApply(try #require(PurgeID("6-0"))).text == "6-0 10\n" && purges.applied == PurgeID("6-0"))
    }

    @Test("a node is new until it has caught up, or loaded something before that")
    func new() {
        let purges = KnownPurges()
        #expect(purges.isCaughtUp && !purges.isNew)
        purges.begin(nil, at: HTTPDate(seconds: 7))
        #expect(purges.isNew)
        purges.noteLoad()
        #expect(!purges.isNew)
        purges.begin(nil, at: HTTPDate(seconds: 7))
        #expect(purges.isNew)
        purges.didCatchUp()
        #expect(purges.isCaughtUp && !purges.isNew)
    }

    @Test("what was invalid stays so")
    func invalid() throws {
        let purges = KnownPurges()
        var record = try Self.record(5)
        record.isInvalidated = true
        #expect(purges.judged(record, wasCaughtUp: true).isInvalidated)
    }

    // MARK: The outbox

    @Test("a change is sent once, again if that failed, and gone when it was seen")
    func outbox() throws {
        var outbox = PurgeOutbox()
        let uri = try TargetURI(parsing: "http://a.example/")
        outbox.add(.purge(uri), number: 1)
        outbox.add(.invalidate(uri), number: 2)
        #expect(outbox.unsent == [1, 2])
        guard case .purge(uri)? = outbox.begin(1) else { return #expect(Bool(false), "1 is a purge") }
        #expect(outbox.unsent == [2] && outbox.begin(1) == nil && outbox.begin(3) == nil)
        guard case .invalidate(uri)? = outbox.begin(2) else { return #expect(Bool(false), "2 marks") }
        outbox.fail(1)
        outbox.fail(7)
        #expect(outbox.unsent == [1])
        outbox.restart()
        #expect(outbox.unsent == [1, 2])
        outbox.didSee(1)
        outbox.didSee(1)
        #expect(outbox.unsent == [2])
    }

    @Test("one purge of everything takes the place of all before it")
    func replaced() throws {
        var outbox = PurgeOutbox()
        let uri = try TargetURI(parsing: "http://a.example/")
        for number in [1, 2, 5, 6] as [UInt64] { outbox.add(.purge(uri), number: number) }
        outbox.replaceAll(number: 5)
        #expect(outbox.unsent.sorted() == [5, 5, 6])
        outbox.didSee(5)
        #expect(outbox.unsent == [6])
        outbox.replaceAll(number: 7)
        guard case .purgeMatching("**", let condition)? = outbox.begin(7) else {
            return #expect(Bool(false), "everything is purged")
        }
        #expect(condition(uri) && outbox.unsent.isEmpty)
    }

    // MARK: Entries

    private static func entry(_ kind: String, _ values: [String]) -> PurgeEntry? {
        let words = ["p", "0-0", "n", "1", "c", "1", "k", kind] + values.flatMap { ["v", $0] }
        return PurgeEntry(.list([.text("1-0"), .list(words.map { .text($0) })])) { _ in { _ in true } }
    }

    @Test("an entry has up to 1024 values of up to 8192 bytes")
    func limits() {
        #expect(Self.entry("matching", [String(repeating: "a", count: 8_192)])?.change != nil)
        #expect(Self.entry("matching", [String(repeating: "a", count: 8_193)])?.change == nil)
        guard case .purgeTags(let tags)? = Self.entry("tags", Array(repeating: "ta", count: 1_024))?.change else {
            return #expect(Bool(false), "1024 tags are not too many")
        }
        #expect(tags.count == 1_024)
        #expect(Self.entry("tags", Array(repeating: "ta", count: 1_025))?.change == nil)
    }

    @Test("an entry names the one before it, its node and its number; a mark changes nothing")
    func entries() throws {
        let words = ["p", "5-6", "n", "me", "c", "42", "k", "mark", "x", "y", "odd"]
        let reply = RedisReply.list([.text("7-8"), .list(words.map { .text($0) })])
        let entry = try #require(PurgeEntry(reply) { _ in nil })
        #expect(entry.id.text == "7-8" && entry.previous.text == "5-6" && entry.node == "me" && entry.number == 42)
        #expect(entry.isMark && entry.change == nil)
        #expect(Self.entry("purge", ["http://a.example/"])?.isMark == false)
        for parts in [[], [.text("1-0")], [.text("1-0"), .list([]), .nothing], [.text("x"), .list([])]]
            as [[RedisReply]]
        {
            #expect(PurgeEntry(.list(parts)) { _ in nil } == nil)
        }
    }

    @Test("a follower reads 512 entries at a time, and then waits five seconds for more")
    func questions() throws {
        var follower = PurgeFollower(from: nil) { _ in nil }
        func words() -> [String] { follower.question.command.arguments.map { String(decoding: $0, as: UTF8.self) } }
        #expect(words() == ["XRANGE", "respite:{purges}", "(0-0", "+", "COUNT", "512"] && !follower.question.isWaiting)
        _ = follower.receive(.list([]))
        let end = ["STREAMS", "respite:{purges}", "0-0"]
        #expect(words() == ["XREAD", "COUNT", "512", "BLOCK", "5000"] + end && follower.question.isWaiting)
        #expect(follower.question.command.key == PurgeEntry.stream)
    }
}
