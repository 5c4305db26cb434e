import HTTPCaching
import HTTPCore
import Stores
import Testing
import Transforms

@testable import EntityStorage

/// The values in the columns of rows.
@Suite("Values in rows") struct RowValueTests {
    private func record(_ change: (inout StoredRecord) -> Void = { _ in }) -> StoredRecord {
        var record = EntityStorageTests.record("/a")
        change(&record)
        return record
    }

    // MARK: Keys

    @Test("two rows have one key only if URI, partition, selection and place are the same")
    func keys() {
        func key(_ change: (inout StoredRecord) -> Void = { _ in }) -> [UInt8] {
            RecordKey(record(change), seed: 7).bytes
        }
        let keys = [
            key(), key { $0.uri = uri("/b") }, key { $0.partition = .credential([1]) },
            key { $0.partition = .credential([2]) }, key { $0.selection = [1] },
            key {
                $0.partition = .credential([1])
                $0.selection = [1]
            },
            RecordKey(record(), seed: 8).bytes, key(place(0)), key(place(1)),
            RecordKey(RenditionName(pipeline: "p", variation: ""), of: record(), seed: 7).bytes,
            RecordKey(RenditionName(pipeline: "p", variation: "v"), of: record(), seed: 7).bytes,
        ]
        #expect(Set(keys).count == keys.count && keys.allSatisfy { $0.count == 16 })
        #expect(key { $0.status = 404 } == key() && key { $0.extent = ContentExtent(3..<5, total: 9) } == key())
        #expect(key().prefix(8) == key { $0.selection = [1] }.prefix(8))
        let range = RecordKey.range(uri("/a"), seed: 7)
        #expect(range.low == Array(key().prefix(8)) + [UInt8](repeating: 0, count: 8))
        #expect(range.high == Array(key().prefix(8)) + [UInt8](repeating: 0xFF, count: 8))
    }

    /// A part that joins others, from this byte on.
    private func place(_ start: Int64) -> (inout StoredRecord) -> Void {
        { record in
            record.extent = ContentExtent(start..<5, total: 9)
            record.otherParts = .joined
        }
    }

    @Test("partition and name of a rendition are read from their bytes again")
    func columns() {
        for partition in [Partition.shared, .credential([1, 2])] {
            #expect(Partition(bytes: partition.bytes) == partition)
        }
        #expect(Partition.shared.bytes.isEmpty && Partition(bytes: []) == .shared)
        for name in [
            RenditionName(pipeline: "p", variation: "v"), RenditionName(pipeline: "p", variation: ""),
            RenditionName(pipeline: "", variation: "v"), RenditionName(pipeline: "", variation: ""),
        ] {
            #expect(RenditionName(bytes: name.bytes) == name && name.number(seed: 7) != 0)
        }
        #expect(RenditionName(bytes: Array("p".utf8)) == RenditionName(pipeline: "p", variation: ""))
        let names = [RenditionName(pipeline: "pv", variation: ""), RenditionName(pipeline: "p", variation: "v")]
        #expect(
            names[0].number(seed: 7) != names[1].number(seed: 7) && names[0].number(seed: 7) != names[0].number(seed: 8)
        )
    }

    // MARK: Tags

    @Test("the hashes of tags are sorted, each once, eight bytes long; a cursor goes through them one after another")
    func tags() throws {
        let tags = try ["one", "two", "three"].map { try #require(CacheTag($0.utf8)) }
        let hashes = TagHashes(tags + tags, seed: 7)
        #expect(hashes.count == 3 && hashes.bytes.count == 24 && Set(hashes.all).count == 3)
        #expect(TagHashes(tags.reversed(), seed: 7).bytes == hashes.bytes && TagHashes().count == 0)
        #expect(TagHashes(bytes: hashes.bytes).all == hashes.all && TagHashes(tags, seed: 8).all != hashes.all)
        var cursor = TagCursor(Set(tags), seed: 7)
        #expect(Array(cursor.hashes) == hashes.all && cursor.last == 0)
        cursor.advance(behind: 5)
        #expect(cursor.hashes.count == 3 && cursor.last == 5)
        cursor.advance(behind: nil)
        #expect(Array(cursor.hashes) == Array(hashes.all.dropFirst()) && cursor.last == 0)
        var listing = TagListing(cursor, HiddenChanges())
        for path in ["/b", "/a", "/b"] { listing.add(uri(path)) }
        #expect(listing.uris == [uri("/b"), uri("/a")])
    }

    // MARK: Listings

    @Test("a listing goes on behind the last row, reads as many as it may, and has a cursor unless it has ended")
    func listing() {
        var listing = RowListing(after: 5, limit: 3, without: HiddenChanges(), where: RowChoice())
        #expect(listing.last == 5 && listing.rest == 3 && listing.page.next == nil)
        for id in [7, 9] as [Int64] { listing.pass(id) }
        #expect(listing.last == 9 && listing.rest == 1 && listing.page.next == 9)
        var stopped = listing
        stopped.stop()
        #expect(stopped.rest == 0 && stopped.page.next == 9)
        listing.end()
        #expect(listing.rest == 0 && listing.page.next == nil && listing.page.entries.isEmpty)
    }

    // MARK: Compression

    @Test(
        "auto tries text of 4 KiB or more without a coding, all tries whatever there is, off tries nothing",
        arguments: [
            (.auto, 4095, "text/plain", nil, false), (.auto, 4096, "text/plain", nil, true),
            (.auto, 4096, "text/plain", "identity", true), (.auto, 4096, "text/plain", "gzip", false),
            (.auto, 4096, "image/png", nil, false), (.auto, 0, "text/plain", nil, false),
            (.all, 0, "text/plain", nil, false), (.all, 1, "image/png", "gzip", true),
            (.off, 10_000, "text/plain", nil, false),
        ] as [(StoreCompression, Int64, String, String?, Bool)]
    )
    func compression(_ setting: StoreCompression, _ count: Int64, _ type: String, _ coding: String?, _ gains: Bool) {
        var fields = Fields()
        fields.append(name: "Content-Type", value: type)
        if let coding { fields.append(name: "Content-Encoding", value: coding) }
        #expect(setting.mayGain(fields, count: count) == gains)
    }
}
