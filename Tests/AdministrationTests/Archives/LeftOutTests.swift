import Administration
import HTTPCaching
import HTTPCore
import JSON
import Platform
import Settings
import Stores
import Testing
import Transforms

/// What an export leaves out, and the times that it tells.
@Suite struct LeftOutTests {
    private static let url = "http://a.example/page"

    private static func archive(_ admin: TestAdmin) throws -> (entries: [JSONValue], left: [String]) {
        let id = try #require(try admin.json("/v1/resources?uri=\(url)")["id"]?.text)
        let archive = try admin.json("/v1/resources/\(id)/har")
        return (archive["entries"]?.elements ?? [], (archive["left"]?.elements ?? []).compactMap(\.text))
    }

    @Test("what a rule has redacted is left out, and so is a part of a response")
    func unwhole() throws {
        var redacted = try StoredRecord.sample(Self.url)
        redacted.rendition = [1]
        var part = try StoredRecord.sample(Self.url)
        part.extent = ContentExtent(5..<12, total: 20)
        for (record, reason) in [(redacted, "a rule redacts it"), (part, "only a part of it is stored")] {
            let admin = try TestAdmin()
            admin.store?.put(record)
            let (entries, left) = try Self.archive(admin)
            #expect(entries.isEmpty && left == [reason])
        }
    }

    /// A file of a size, of which nothing can be read.
    private final class LargeFile: BodyFile {
        let count: Int64
        init(_ count: Int64) { self.count = count }
        func piece(_ range: Range<Int64>) -> BodyPiece { .wait }
        func read(_ count: Int, at offset: Int64) -> [UInt8]? { nil }
        func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) { completion(false) }
        func isVerified(_ range: Range<Int64>) -> Bool { false }
    }

    @Test(
        "content up to 64 MiB is looked at, larger content is left out for its size",
        arguments: [(64 << 20, "its content cannot be read"), (64 << 20 + 1, "its content is larger than 64 MiB")]
            as [(Int64, String)]
    )
    func size(count: Int64, reason: String) throws {
        let admin = try TestAdmin()
        admin.store?.put(try .sample(Self.url, body: .file(LargeFile(count))))
        let (entries, left) = try Self.archive(admin)
        #expect(entries.isEmpty && left == [reason])
    }

    /// A file that is shorter than it says.
    private final class ShortFile: BodyFile {
        let count: Int64 = 8
        func piece(_ range: Range<Int64>) -> BodyPiece { .wait }
        func read(_ count: Int, at offset: Int64) -> [UInt8]? { [1, 2, 3] }
        func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) { completion(true) }
        func isVerified(_ range: Range<Int64>) -> Bool { true }
    }

    @Test("content of which not all can be read is left out")
    func short() throws {
        let admin = try TestAdmin()
        admin.store?.put(try .sample(Self.url, body: .file(ShortFile())))
        let (entries, left) = try Self.archive(admin)
        #expect(entries.isEmpty && left == ["its content cannot be read"])
    }

    private static func milliseconds(_ value: JSONValue?) -> Double? {
        switch value {
        case .integer(let number)?: Double(number)
        case .real(let number)?: number
        default: nil
        }
    }

    @Test("an entry began when the request was sent, and waited until the response came")
    func times() throws {
        let admin = try TestAdmin()
        var record = try StoredRecord.sample(Self.url, age: 10)
        record.requestTime = HTTPDate(seconds: record.responseTime.seconds - 3)
        admin.store?.put(record)
        let entry = try #require(try Self.archive(admin).entries.first)
        #expect(entry["startedDateTime"]?.text == "2023-11-14T22:13:07Z")
        #expect(Self.milliseconds(entry["timings"]?["wait"]) == 3000)
        #expect(entry["_respite"]?["private"] == nil)
    }

    @Test("a clock that was set back between request and response makes no negative wait")
    func negative() throws {
        let admin = try TestAdmin()
        var record = try StoredRecord.sample(Self.url, age: 10)
        record.requestTime = HTTPDate(seconds: record.responseTime.seconds + 3)
        admin.store?.put(record)
        let entry = try #require(try Self.archive(admin).entries.first)
        #expect(entry["startedDateTime"]?.text == "2023-11-14T22:13:10Z")
        #expect(Self.milliseconds(entry["timings"]?["wait"]) == 0)
    }

    @Test("who asks for what is not there gets 404; with no room for more work nothing is read from files")
    func refused() throws {
        let full = try WorkerPool(count: 1, queueLimit: 0)
        defer { full.stop() }
        let admin = try TestAdmin { source, _ in source.workers = full }
        admin.store?.put(try .sample(Self.url, body: .file(try TestFile([1, 2, 3]))))
        let id = try #require(try admin.json("/v1/resources?uri=\(Self.url)")["id"]?.text)
        let answer = try admin.get("/v1/resources/\(id)/har")
        #expect(answer.status == 503 && answer.text.contains("too many listings are in progress"))
        #expect(try admin.get("/v1/resources/aHR0cDovL2gvYQ/har").status == 404)
        #expect(try admin.get("/v1/resources/\(id)/har?private=1").status == 400)
    }
}
