import Exchanges
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore
@testable import SharedStorage

@Suite("Look-ups on the shared server")
struct LookUpTests {
    private let now = HTTPDate(seconds: 1_010)
    private let packer = RecordPacker()

    private func load(
        _ fields: [(String, String)] = [],
        partitions: Partitions = Partitions(),
        sharesPrivate: Bool = false
    ) throws -> SharedLoad? {
        try SharedLoad.test(fields, partitions: partitions, sharesPrivate: sharesPrivate)
    }

    /// Stores a response as the tier does.
    private func store(
        _ content: [UInt8],
        _ fields: [(String, String)],
        partition: Partition = .shared,
        for load: SharedLoad,
        by claim: Claim? = nil,
        in server: inout ModelServer
    ) throws -> RedisReply {
        var response = try RecordTests.response(fields)
        response.partition = partition
        let vary = load.vary(of: response)
        response.selection = load.selection(vary)
        let begun = try claim ?? begin(load, in: &server)
        let times = load.times(of: response, at: now)
        let packed = packer.pack(response, content, begun, times, id: 9)
        let time = times.lifetime
        _ = server.replies(to: Filling.pieces(packed, of: response.uri, lifetime: time))
        let record = Filling.record(packed, response, vary: vary, begun, lifetime: time)
        return server.replies(to: [record])[0]
    }

    /// Announces a load that has looked; it takes the lease.
    private func begin(_ load: SharedLoad, in server: inout ModelServer) throws -> Claim {
        try #require(try find(load, &server).claim)
    }

    private struct Found {
        var answer: SharedAnswer?
        var claim: Claim?
        var isWaiting = false
        var faults: [RecordFault] = []
        var questions = 0
    }

    private func find(_ load: SharedLoad?, _ server: inout ModelServer) throws -> Found {
        var lookUp = LookUp(try #require(load), sizeLimit: 8 << 20)
        var commands = lookUp.beginning
        var found = Found()
        while found.questions < 20 {
            found.questions += 1
            let step = lookUp.receive(server.replies(to: commands), packer)
            found.faults = lookUp.faults
            switch step {
            case .ask(let next, _): commands = next
            case .found(let answer): found.answer = answer
            case .load(let claim): found.claim = claim
            case .wait: found.isWaiting = true
            case .end: break
            }
            if case .ask = step { continue }
            return found
        }
        return found
    }

    private let lasting = [("Cache-Control", "max-age=60"), ("Date", "Thu, 01 Jan 1970 00:16:41 GMT")]

    @Test("what one node has stored another one finds by one question, with its age")
    func plain() throws {
        var server = ModelServer()
        let load = try #require(try load())
        #expect(try store([1, 2, 3], lasting, for: load, in: &server) == .number(1))
        let found = try find(load, &server)
        #expect(found.answer?.content == [1, 2, 3] && found.questions == 1)
        #expect(found.answer?.age == 10)
        #expect(found.answer?.head.fields.text(of: .age) == "10")
        #expect(found.answer?.head.contentLength == 3)
    }

    @Test("a stale response, and one that the request does not want, are not used")
    func stale() throws {
        var server = ModelServer()
        let load = try #require(try load())
        _ = try store([1], lasting, for: load, in: &server)
        server.now = 49_000
        #expect(try find(load, &server).answer?.age == 59)
        server.now = 50_000
        #expect(try find(load, &server).answer == nil)
        server.now = 0
        for value in ["no-cache", "max-age=5", "max-age=0"] {
            #expect(try find(self.load([("Cache-Control", value)]), &server).answer == nil)
        }
        #expect(try self.load([("Cache-Control", "no-store")]) == nil)
        #expect(try self.load([("Range", "bytes=0-1")]) == nil)
    }

    @Test("variants are found by the fields in Vary, by one question more")
    func vary() throws {
        var server = ModelServer()
        let english = try #require(try load([("Accept-Language", "en")]))
        let german = try #require(try load([("Accept-Language", "de")]))
        let fields = lasting + [("Vary", "Accept-Language")]
        _ = try store([1], fields, for: english, in: &server)
        #expect(try store([2], fields, for: german, in: &server) == .number(1))
        let found = try find(german, &server)
        #expect(found.answer?.content == [2] && found.questions == 2)
        #expect(try find(english, &server).answer?.content == [1])
        #expect(try find(load([("Accept-Language", "fr")]), &server).answer == nil)
    }

    @Test("large content comes in pieces; if one is gone or broken, it is a miss")
    func pieces() throws {
        var server = ModelServer()
        let load = try #require(try load())
        let content = noise(1_200_000)
        _ = try store(content, lasting, for: load, in: &server)
        #expect(try find(load, &server).answer?.content == content)
        var damaged = server
        damaged.replaceValues(longerThan: 500_000) { $0.reversed() }
        #expect(try find(load, &damaged).faults == [.broken])
        var gone = server
        gone.remove { $0.suffix(2) == Array(":1".utf8) }
        let found = try find(load, &gone)
        #expect(found.answer == nil && found.faults.isEmpty)
    }

    @Test("records of other programs and damaged ones are misses, and counted")
    func foreign() throws {
        var server = ModelServer()
        let load = try #require(try load())
        _ = try store([1], lasting, for: load, in: &server)
        var other = server
        other.replaceValues(longerThan: 100) { _ in Array("something else".utf8) }
        #expect(try find(load, &other).faults == [.foreign])
        var cut = server
        cut.replaceValues(longerThan: 100) { $0.dropLast() }
        #expect(try find(load, &cut).faults == [.broken])
        var index = server
        index.replaceValues(longerThan: 0) { _ in Array("?".utf8) }
        #expect(try find(load, &index).faults == [.foreign])
    }

    @Test("after a purge nothing that was there is found, and no load that began before stores anything")
    func purge() throws {
        var server = ModelServer()
        let load = try #require(try load())
        _ = try store([1], lasting, for: load, in: &server)
        let before = try begin(try #require(try self.load([("Cache-Control", "no-cache")])), in: &server)
        _ = server.replies(to: [Filling.forget(load.uri)])
        let after = try find(load, &server)
        #expect(after.answer == nil)
        #expect(try store([2], lasting, for: load, by: before, in: &server) == .number(0))
        #expect(try store([3], lasting, for: load, by: after.claim, in: &server) == .number(1))
        #expect(try find(load, &server).answer?.content == [3])
    }

    @Test("responses of a credential are found only where all nodes have one key, and only by that credential (C-20.3)")
    func partitions() throws {
        var server = ModelServer()
        let mine = Partitions(own: .credential([1]), credential: .credential([2]))
        let other = Partitions(own: .credential([3]), credential: .credential([4]))
        let load = try #require(try load(partitions: mine, sharesPrivate: true))
        _ = try store([7], lasting, partition: .credential([2]), for: load, in: &server)
        #expect(try find(self.load(partitions: mine, sharesPrivate: true), &server).answer?.content == [7])
        #expect(try find(self.load(partitions: other, sharesPrivate: true), &server).answer == nil)
        #expect(try find(self.load(partitions: mine), &server).answer == nil)
        #expect(try find(self.load(), &server).answer == nil)
        let confined = Partitions(confinedTo: .credential([9]), own: .credential([9]))
        #expect(try self.load(partitions: confined) == nil)
    }

    @Test("errors of the server, and replies that no command can have, end the look-up")
    func errors() throws {
        var lookUp = LookUp(try #require(try load()), sizeLimit: 1)
        let error = RedisError(Array("LOADING x".utf8))
        guard case .end(.refused(error)) = lookUp.receive([.failure(error), .nothing], packer) else {
            return #expect(Bool(false))
        }
        for replies in [
            [], [.nothing], [.nothing, .nothing], [.list([]), .nothing, .number(1)],
            [.number(1), .nothing, .number(1)],
        ] as [[RedisReply]] {
            guard case .end(.unexpected) = lookUp.receive(replies, packer) else {
                return #expect(Bool(false))
            }
        }
    }
}
