import EntityStorage
import HTTPCore
import Stores
import TestSupport
import Testing
import Transforms

@Suite("Pieces of streams in a store")
struct PieceTests {
    let directory = TemporaryDirectory()

    private var database: ClosedDatabase { ClosedDatabase(path: directory.path + "/cache.db") }

    private func stream(_ path: String, _ size: Int) -> StoredRecord {
        var stream = record(path, bytes(size), fields: [("Content-Type", "text/event-stream")])
        stream.pieces = StreamPieces([
            StreamPieces.Piece(count: 3, milliseconds: 20),
            StreamPieces.Piece(count: Int64(size) - 3, milliseconds: 900),
        ])
        return stream
    }

    @Test("the pieces of a stream outlive a restart and freshening, in rows and in files", arguments: [7, 200_000])
    func roundTrip(size: Int) async throws {
        var stream = stream("/stream", size)
        let before = try OpenStore(directory)
        for record in [stream, record("/plain")] { #expect(await before.commit(record)) }
        await before.close()
        let store = try OpenStore(directory)
        #expect(await store.lookUp(stream.uri).first?.pieces == stream.pieces)
        #expect(await store.lookUp(uri("/plain")).first?.pieces.isEmpty == true)
        stream.fields.append(name: "X-New", value: "1")
        #expect(await store.freshen(stream))
        let found = try #require(await store.lookUp(stream.uri).first)
        #expect(found.pieces == stream.pieces && found.fields == stream.fields && found.content == bytes(size))
    }

    @Test("a row whose pieces were changed is a damaged entry", arguments: ["x''", "x'0300'"])
    func damaged(pieces: String) async throws {
        let before = try OpenStore(directory)
        await before.commit(stream("/stream", 7))
        await before.close()
        database.edit("UPDATE entry SET pieces = \(pieces)")
        let store = try OpenStore(directory)
        #expect(await store.lookUp(uri("/stream")).isEmpty)
    }

    @Test("a store of the version before, which knew no pieces, is taken over")
    func migration() async throws {
        let before = try OpenStore(directory)
        await before.commit(record("/row", bytes(1000)))
        await before.close()
        database.downgrade(to: 4)
        let store = try OpenStore(directory)
        #expect(await store.lookUp(uri("/row")).first?.content == bytes(1000))
        #expect(await store.commit(stream("/stream", 7)))
        #expect(await store.lookUp(uri("/stream")).first?.pieces.count == 2)
        await store.close()
        #expect(database.query("PRAGMA integrity_check") == ["ok"])
    }
}
