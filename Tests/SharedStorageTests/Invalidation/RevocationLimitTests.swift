import HTTPCaching
import HTTPCore
import Stores
import Testing

@testable import SharedStorage

/// How many purges a node remembers, and what holds of those that it forgot.
@Suite struct RevocationLimitTests {
    private static func place(_ time: UInt64) -> PurgeID { PurgeID(time: time, number: 0) }
    private static func uri(_ number: UInt64) throws -> TargetURI {
        try TargetURI(parsing: "http://a.example/\(number)")
    }
    private static func tag(_ name: String) throws -> SharedChange {
        .purgeTags([try #require(CacheTag(name.utf8))])
    }

    @Test("1024 rules are remembered; what is older than a forgotten one counts as purged")
    func rules() throws {
        let revocations = Revocations()
        for number in 1...1_024 as ClosedRange<UInt64> {
            revocations.add(try Self.tag("t\(number)"), id: Self.place(number))
        }
        #expect(revocations.horizon == .none)
        revocations.add(try Self.tag("more"), id: Self.place(2_000))
        #expect(revocations.horizon == Self.place(1))
    }

    @Test("16384 purges of single URLs are remembered; the older half of too many is forgotten")
    func resources() throws {
        let revocations = Revocations()
        for number in 1...16_384 as ClosedRange<UInt64> {
            revocations.add(.purge(try Self.uri(number == 16_384 ? 1 : number)), id: Self.place(number))
        }
        #expect(revocations.horizon == .none)
        revocations.add(.purge(try Self.uri(20_000)), id: Self.place(20_000))
        #expect(revocations.horizon == Self.place(8_192))
        // Forgotten, remembered, and purged again since.
        #expect(try !revocations.isUnderWay(Self.uri(8_192), made: .none))
        #expect(try revocations.isUnderWay(Self.uri(8_193), made: .none))
        #expect(try revocations.isUnderWay(Self.uri(1), made: Self.place(16_383)))
        #expect(try !revocations.isUnderWay(Self.uri(1), made: Self.place(16_384)))
    }

    @Test("what comes in the stream again is known")
    func again() throws {
        let revocations = Revocations()
        revocations.add(.purge(try Self.uri(1)), id: Self.place(2))
        for place in [1, 2] as [UInt64] { revocations.add(.purge(try Self.uri(2)), id: Self.place(place)) }
        #expect(try !revocations.isUnderWay(Self.uri(2), made: .none))
        revocations.add(.purge(try Self.uri(2)), id: Self.place(3))
        #expect(try revocations.isUnderWay(Self.uri(2), made: Self.place(2)))
    }

    @Test("a purge by tag that is in the stream holds for what is older, and the others go on waiting")
    func confirmed() throws {
        let revocations = Revocations()
        let (one, two) = (
            try RecordTests.response([("Cache-Tag", "one")]), try RecordTests.response([("Cache-Tag", "two")])
        )
        #expect(try revocations.begin(Self.tag("one"), number: 1) && revocations.begin(Self.tag("two"), number: 2))
        revocations.confirm(2, Self.place(5))
        revocations.confirm(9, Self.place(7))
        #expect(revocations.covers(one, seen: Self.place(9)) && !revocations.covers(two, seen: Self.place(5)))
        #expect(revocations.covers(two, seen: Self.place(4)))
    }

    @Test("4096 changes wait for the stream, whatever they are; the horizon never goes back")
    func waiting() throws {
        let revocations = Revocations()
        #expect(revocations.begin(try Self.tag("t"), number: 1))
        for number in 2...4_096 as ClosedRange<UInt64> {
            #expect(revocations.begin(.purge(try Self.uri(number)), number: number))
        }
        let response = try RecordTests.response([("Cache-Tag", "t")])
        #expect(revocations.begin(try Self.tag("u"), number: 5_000) == false)
        revocations.confirm(5_000, Self.place(3))
        #expect(revocations.horizon == Self.place(3) && !revocations.covers(response, seen: Self.place(3)))
        revocations.forget(before: Self.place(2))
        #expect(revocations.horizon == Self.place(3))
        revocations.forget(before: Self.place(4))
        #expect(revocations.horizon == Self.place(4) && revocations.covers(response, seen: Self.place(3)))
    }
}
