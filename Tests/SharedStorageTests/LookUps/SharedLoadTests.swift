import HTTPCaching
import HTTPCore
import ResourceCore
import Stores
import Testing

@testable import SharedStorage

/// What a load may find and store on the shared server.
@Suite struct SharedLoadTests {
    private static func load(
        _ fields: [(String, String)] = [],
        _ partitions: Partitions = Partitions(),
        sharesPrivate: Bool = false
    ) throws -> SharedLoad {
        try #require(try SharedLoad.test(fields, partitions: partitions, sharesPrivate: sharesPrivate))
    }

    @Test("a response is kept for the rest of its lifetime and the longer window in which it may be served stale")
    func lifetimes() throws {
        func times(_ control: String) throws -> SharedRecord.StoringTimes {
            let date = ("Date", "Thu, 01 Jan 1970 00:16:41 GMT")
            let response = try RecordTests.response([("Cache-Control", control), date])
            return try Self.load().times(of: response, at: HTTPDate(seconds: 1_010))
        }
        #expect(try times("max-age=60").ageSeconds == 10)
        #expect(try times("max-age=60").lifetime == .seconds(50))
        #expect(try times("max-age=60, stale-while-revalidate=30, stale-if-error=7").lifetime == .seconds(80))
        #expect(try times("max-age=60, stale-while-revalidate=7, stale-if-error=30").lifetime == .seconds(80))
        #expect(try times("max-age=5").lifetime == .zero && times("max-age=10").lifetime == .zero)
        #expect(try times("max-age=11").lifetime == .seconds(1))
        #expect(try times("max-age=\(366 * 86_400 + 10)").lifetime == .seconds(366 * 86_400))
        #expect(try times("max-age=\(366 * 86_400 + 11)").lifetime == .seconds(366 * 86_400))
    }

    @Test("only a request that takes a stored response waits for another node's load")
    func waits() throws {
        #expect(try Self.load().mayWait && Self.load([("Cache-Control", "max-age=1")]).mayWait)
        #expect(try !Self.load([("Cache-Control", "no-cache")]).mayWait)
        #expect(try !Self.load([("Cache-Control", "max-age=0")]).mayWait)
    }

    @Test("what is looked into is the credential's own only where private responses are shared")
    func partitions() throws {
        let mine = Partitions(own: .credential([1]), credential: .credential([2]))
        #expect(try Self.load([], mine).partitions == [.shared])
        #expect(
            try Self.load([], mine, sharesPrivate: true).partitions == [.credential([1]), .credential([2]), .shared]
        )
        let same = Partitions(own: .credential([1]), credential: .credential([1]))
        #expect(try Self.load([], same, sharesPrivate: true).partitions == [.credential([1]), .shared])
    }

    @Test("a response that all get may be shared, one for a credential only with that, one that is not stored never")
    func sharing() throws {
        func mayShare(_ control: String, _ load: SharedLoad) -> Bool {
            var head = ResponseHead(status: 200)
            head.fields.append(name: "Cache-Control", value: control)
            return load.mayShare(head, at: HTTPDate(seconds: 1_000))
        }
        let anonymous = try Self.load()
        let mine = Partitions(own: .credential([1]), credential: .credential([1]))
        let fields = [("Authorization", "x")]
        let (local, shared) = (try Self.load(fields, mine), try Self.load(fields, mine, sharesPrivate: true))
        #expect(mayShare("max-age=60", anonymous) && !mayShare("no-store", anonymous))
        #expect(mayShare("public, max-age=60", local) && mayShare("public, max-age=60", shared))
        #expect(!mayShare("private, max-age=60", local) && mayShare("private, max-age=60", shared))
    }

    @Test("a response answers a load of its partition and selection, if it is fresh and varies by what is known")
    func answers() throws {
        let load = try Self.load()
        var response = try RecordTests.response()
        response.selection = load.selection([])
        #expect(load.isAnswered(by: response))
        #expect(load.isAnswered(by: response, ageSeconds: 59) && !load.isAnswered(by: response, ageSeconds: 60))
        var other = response
        other.partition = .credential([1])
        #expect(!load.isAnswered(by: other))
        other = response
        other.selection = [9]
        #expect(!load.isAnswered(by: other))
        let any = try RecordTests.response([("Cache-Control", "max-age=60"), ("Vary", "*")])
        #expect(!load.isAnswered(by: any, ageSeconds: 1))
    }

    @Test("an answer has its age and its length, and where it has no content neither length nor framing")
    func heads() throws {
        func head(_ status: UInt16, _ content: [UInt8]) throws -> ResponseHead {
            var response = try RecordTests.response([("Content-Length", "99"), ("ETag", "\"a\"")])
            response.status = status
            let times = SharedRecord.StoringTimes(ageSeconds: 0, lifetime: .seconds(1))
            let record = SharedRecord(
                response,
                Claim(token: "t", number: "n"),
                times,
                size: content.count,
                content: .inline(content, isCompressed: false)
            )
            return SharedAnswer(record, age: 7, content: content).head
        }
        let whole = try head(200, [1, 2, 3])
        #expect(whole.fields.text(of: .age) == "7" && whole.fields.text(of: .contentLength) == "3")
        #expect(whole.framing == .length(3) && whole.contentLength == 3 && whole.reason == Array("OK".utf8))
        for status in [204, 304] as [UInt16] {
            let none = try head(status, [])
            #expect(none.fields.text(of: .contentLength) == nil && none.contentLength == nil)
            #expect(none.framing == Framing.none && none.fields.text(of: .etag) == "\"a\"")
        }
        #expect(try head(203, []).framing == .length(0) && head(205, []).framing == .length(0))
    }
}
