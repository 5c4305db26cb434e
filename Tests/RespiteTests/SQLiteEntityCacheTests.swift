import EntityStorage
import Exchanges
import HTTPCore
import ResourceCore
import ResourceModel
import Respite
import TestSupport
import Testing

/// A service that only gives resources their names.
private func service() -> Service {
    Service(
        name: "entities",
        baseURL: TargetURI(scheme: .http, host: Array("org.example".utf8), port: 80, path: Array("/".utf8)),
        table: ResourceTable(
            environment: CoreEnvironment(timekeeper: SystemTimekeeper.shared, hasher: CredentialHasher())
        )
    )
}

private func entity(
    _ content: any Sendable,
    type: String = "text/plain",
    at seconds: Int64 = 1000
) -> Entity<
    any Sendable
> {
    Entity(
        content: content,
        contentType: type,
        charset: "utf-8",
        headers: ["ETag": "\"a\"", "X-Empty": ""],
        timestamp: Timestamp(sinceEpoch: .nanoseconds(seconds * 1_000_000_000 + 7))
    )
}

@Suite("SQLite cache of entities")
struct SQLiteEntityCacheTests {
    private let directory = TemporaryDirectory()
    private let resource = service().resource("item")

    private func cache(limit: Int64 = SQLiteEntityCache.usualLimit, scope: String = "") -> SQLiteEntityCache {
        SQLiteEntityCache(directory: directory.path + "/made", limit: limit, scope: scope)
    }

    private func key(_ cache: SQLiteEntityCache, _ path: String = "item") throws -> SQLiteEntityCache.Key {
        try #require(cache.key(for: service().resource(path)))
    }

    @Test(
        "bytes, text and values of JSON come back as they were, after a restart too (S-183)",
        arguments: [
            [UInt8]([0, 255, 10]), [UInt8](), "gr\u{fc}n \u{1F332}", "",
            ["a": 1, "b": [1.5, true, JSONNull(), "x\n\""] as [any Sendable], "c": 1.0] as [String: any Sendable],
            [[String: any Sendable](), 9_007_199_254_740_993, -0.25, 1e300] as [any Sendable],
        ] as [any Sendable]
    )
    func roundTrip(content: any Sendable) throws {
        let written = entity(content)
        let first = cache()
        try first.writeEntity(written, forKey: key(first))
        for cache in [first, cache()] {
            let read = try #require(try cache.readEntity(forKey: key(cache)))
            #expect(type(of: read.content) == type(of: content))
            #expect(JSONText.bytes(of: read.content) == JSONText.bytes(of: content))
            #expect(read.headers == ["content-type": "text/plain", "etag": "\"a\"", "x-empty": ""])
            #expect(read.charset == "utf-8")
            #expect(read.timestamp == written.timestamp)
        }
    }

    @Test("other content, and what must not be stored, is declined and replaces nothing stale (S-196)")
    func declining() throws {
        let cache = cache()
        let key = try key(cache)
        try cache.writeEntity(entity("old"), forKey: key)
        try cache.writeEntity(entity(Duration.seconds(1)), forKey: key)
        #expect(try cache.readEntity(forKey: key) == nil)
        var secret = entity("secret")
        secret.setHeader("private, No-Store", forKey: "Cache-Control")
        try cache.writeEntity(secret, forKey: key)
        #expect(try cache.readEntity(forKey: key) == nil)
        var cookie = entity("cookie")
        cookie.setHeader("id=1", forKey: "Set-Cookie")
        try cache.writeEntity(cookie, forKey: key)
        #expect(try cache.readEntity(forKey: key)?.header(forKey: "set-cookie") == nil)
        #expect(!filesBelow(directory.path).contains { contents($0).containsText("id=1") })
    }

    @Test("a new timestamp is kept; without an entry nothing is (S-191)")
    func touching() throws {
        let cache = cache()
        let key = try key(cache)
        try cache.updateEntityTimestamp(Timestamp(seconds: 5), forKey: key)
        #expect(try cache.readEntity(forKey: key) == nil)
        try cache.writeEntity(entity("x"), forKey: key)
        try cache.updateEntityTimestamp(Timestamp(seconds: 2000), forKey: key)
        let read = try #require(try self.cache().readEntity(forKey: key))
        #expect(read.timestamp == Timestamp(seconds: 2000))
        #expect(read.text == "x")
    }

    @Test("a new timestamp writes no content again (S-191)")
    func touchingWritesLittle() throws {
        let cache = cache()
        let key = try key(cache)
        try cache.writeEntity(entity([UInt8](repeating: 1, count: 2_000_000)), forKey: key)
        let before = directory.usage
        for second in 0..<20 { try cache.updateEntityTimestamp(Timestamp(seconds: Double(second)), forKey: key) }
        // Twenty times the content would be 40 MB.
        #expect(directory.usage - before < 1_000_000)
    }

    @Test("what was removed is not read until it is written again (S-194)")
    func removing() throws {
        let cache = cache()
        let key = try key(cache)
        try cache.writeEntity(entity("x"), forKey: key)
        try cache.removeEntity(forKey: key)
        #expect(try cache.readEntity(forKey: key) == nil)
        #expect(try self.cache().readEntity(forKey: key) == nil)
        try cache.writeEntity(entity("y"), forKey: key)
        #expect(try cache.readEntity(forKey: key)?.text == "y")
    }

    @Test("other URLs, and other scopes, are other entries (S-184)")
    func keys() throws {
        let cache = cache()
        let other = self.cache(scope: "anna")
        try cache.writeEntity(entity("x"), forKey: key(cache))
        #expect(try cache.readEntity(forKey: key(cache, "item?q")) == nil)
        #expect(try other.readEntity(forKey: key(other)) == nil)
        try other.writeEntity(entity("hers"), forKey: key(other))
        #expect(try cache.readEntity(forKey: key(cache))?.text == "x")
    }

    @Test("the limit holds: the oldest make room, what is too large is declined (S-198)")
    func limit() throws {
        let cache = cache(limit: 1 << 20)
        for number in 0..<100 {
            let content = [UInt8](repeating: UInt8(number), count: 50_000)
            try cache.writeEntity(entity(content, at: Int64(number)), forKey: key(cache, "\(number)"))
        }
        #expect(try cache.readEntity(forKey: key(cache, "0")) == nil)
        #expect(try cache.readEntity(forKey: key(cache, "99")) != nil)
        #expect(directory.usage < 3 << 19)
        try cache.writeEntity(entity([UInt8](repeating: 0, count: 2 << 20)), forKey: key(cache, "99"))
        #expect(try cache.readEntity(forKey: key(cache, "99")) == nil)
        #expect(try cache.readEntity(forKey: key(cache, "98")) != nil)
    }

    @Test("a flipped bit makes an entry missing, and the others stay (S-188)")
    func flippedBit() throws {
        let first = cache()
        let mark = Array("mark of the damaged one".utf8)
        try first.writeEntity(entity(mark + [UInt8](repeating: 7, count: 20_000)), forKey: key(first, "damaged"))
        try first.writeEntity(entity("whole"), forKey: key(first, "whole"))
        closeLog()
        let path = directory.path + "/made/entities.db"
        var bytes = contents(path)
        let place = try #require(bytes.firstRange(of: mark))
        bytes[place.lowerBound + 30] ^= 1
        overwrite(path, bytes)
        let second = cache()
        #expect(try second.readEntity(forKey: key(second, "damaged")) == nil)
        #expect(try second.readEntity(forKey: key(second, "whole"))?.text == "whole")
    }

    /// Another connection, the last one to go, moves what is in the log into the file.
    private func closeLog() {
        run("/usr/bin/sqlite3", [directory.path + "/made/entities.db", "PRAGMA wal_checkpoint(TRUNCATE)"])
    }

    @Test("a file that is no database any more is begun anew (S-198)")
    func noDatabase() throws {
        let path = directory.path + "/made/entities.db"
        do {
            let first = cache()
            try first.writeEntity(entity("x"), forKey: key(first))
            closeLog()
        }
        overwrite(path, Array("this is no database, whatever its name says".utf8))
        let second = cache()
        #expect(try second.readEntity(forKey: key(second)) == nil)
        try second.writeEntity(entity("y"), forKey: key(second))
        #expect(try second.readEntity(forKey: key(second))?.text == "y")
    }

    @Test("a directory that cannot be made, or another program's database, is an error and stays as it is (S-183)")
    func notUsable() throws {
        overwrite(directory.path + "/file", [1])
        let nowhere = SQLiteEntityCache(directory: directory.path + "/file/below")
        #expect(throws: StoreError.self) { try nowhere.readEntity(forKey: key(nowhere)) }
        _ = run("/bin/mkdir", [directory.path + "/foreign"])
        run("/usr/bin/sqlite3", [directory.path + "/foreign/entities.db", "CREATE TABLE theirs(x)"])
        let foreign = SQLiteEntityCache(directory: directory.path + "/foreign")
        #expect(throws: StoreError.self) { try foreign.writeEntity(entity("x"), forKey: key(foreign)) }
    }
}

extension [UInt8] {
    fileprivate func containsText(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
