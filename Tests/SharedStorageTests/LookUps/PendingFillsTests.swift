import HTTPCaching
import HTTPCore
import ResourceCore
import Stores
import Testing

@testable import SharedStorage

/// The loads whose responses may be shared, and the times that origins take.
@Suite struct PendingFillsTests {
    private static func claim(_ number: Int) -> Claim { Claim(token: "t", number: "\(number)") }
    private static func load(_ path: String) throws -> SharedLoad {
        try #require(try SharedLoad.test(uri: "http://a.example/\(path)"))
    }

    @Test("a response takes the load that it answers, once")
    func taken() throws {
        let fills = PendingFills()
        let load = try #require(try SharedLoad.test())
        fills.note(load, Self.claim(1), seen: PurgeID(time: 3, number: 0))
        var response = try RecordTests.response()
        response.selection = load.selection([])
        var other = response
        other.partition = .credential([1])
        #expect(fills.take(other) == nil)
        other = response
        other.selection += [1]
        #expect(fills.take(other) == nil)
        let fill = fills.take(response)
        #expect(fill?.claim == Self.claim(1) && fill?.seen == PurgeID(time: 3, number: 0))
        #expect(fills.take(response) == nil)
    }

    @Test("each load of a URL is dropped by its own claim")
    func dropped() throws {
        let fills = PendingFills()
        let load = try Self.load("x")
        for number in 1...3 { fills.note(load, Self.claim(number), seen: .none) }
        #expect(fills.drop(Self.claim(2), of: load.uri) && !fills.drop(Self.claim(2), of: load.uri))
        #expect(fills.drop(Self.claim(1), of: load.uri) && fills.drop(Self.claim(3), of: load.uri))
        #expect(!fills.drop(Self.claim(3), of: load.uri))
        #expect(try !fills.drop(Self.claim(3), of: Self.load("y").uri))
    }

    @Test("8192 loads are kept; of more the older half is let go of")
    func limit() throws {
        let (first, other) = (try Self.load("first"), try Self.load("other"))
        func isKept(_ others: Int) -> Bool {
            let fills = PendingFills()
            fills.note(first, Self.claim(0), seen: .none)
            for number in 1...others { fills.note(other, Self.claim(number), seen: .none) }
            return fills.drop(Self.claim(0), of: first.uri)
        }
        #expect(isKept(8_191) && !isKept(8_192))
    }

    @Test("what was taken or dropped counts no more")
    func count() throws {
        let (first, other) = (try Self.load("first"), try Self.load("other"))
        let fills = PendingFills()
        for number in 1...3 { fills.note(first, Self.claim(number), seen: .none) }
        #expect(fills.drop(Self.claim(2), of: first.uri))
        fills.drop(first.uri)
        fills.drop(first.uri)
        #expect(!fills.drop(Self.claim(1), of: first.uri))
        for number in 1...8_192 { fills.note(other, Self.claim(number), seen: .none) }
        #expect(fills.drop(Self.claim(1), of: other.uri))
    }

    // MARK: Times

    @Test("the median of an origin is that of its latest sixteen answers")
    func medians() throws {
        var times = OriginTimes()
        let origin = Origin(try TargetURI(parsing: "http://a.example/"))
        for number in 1...15 { times.note(.seconds(number), of: origin) }
        #expect(times.median(of: origin) == nil)
        times.note(.seconds(16), of: origin)
        #expect(times.median(of: origin) == .seconds(9))
        // The oldest ones make room, one after the other.
        times.note(.seconds(100), of: origin)
        #expect(times.median(of: origin) == .seconds(10))
        for _ in 0..<8 { times.note(.seconds(100), of: origin) }
        #expect(times.median(of: origin) == .seconds(100))
        for _ in 0..<8 { times.note(.seconds(1), of: origin) }
        #expect(times.median(of: origin) == .seconds(100))
        times.note(.seconds(1), of: origin)
        #expect(times.median(of: origin) == .seconds(1))
    }

    @Test("1024 origins are known; one more begins anew")
    func origins() throws {
        func origin(_ number: Int) throws -> Origin { Origin(try TargetURI(parsing: "http://a\(number).example/")) }
        var times = OriginTimes()
        for _ in 0..<16 { times.note(.seconds(1), of: try origin(0)) }
        for number in 1..<1_024 { times.note(.seconds(1), of: try origin(number)) }
        times.note(.seconds(1), of: try origin(5))
        #expect(try times.median(of: origin(0)) == .seconds(1))
        times.note(.seconds(1), of: try origin(1_024))
        #expect(try times.median(of: origin(0)) == nil)
    }
}
