import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

/// How a stored first part comes out of its file, before the rest from the origin (C-16.3).
@Suite("A first part in a file") struct PrefixedContentTests {
    private static let mebibyte: Int64 = 1 << 20

    /// A client of a content whose first part is in this file; ten more bytes come from the origin.
    private func client(of file: NotingFile) -> (World, Client) {
        let store = MemoryVariantStore()
        let (first, total) = (file.count, file.count + 10)
        var fields = Fields()
        for (name, value) in World.freshPart { fields.append(name: name, value: value) }
        let time = HTTPDate(seconds: 1_000_000)
        store.put(
            StoredRecord(
                uri: World.uri("/a"),
                partition: .shared,
                selection: [],
                status: 206,
                reason: [],
                fields: fields,
                requestFields: Fields(),
                requestTime: time,
                responseTime: time,
                isInvalidated: false,
                body: .file(file),
                extent: ContentExtent(0..<first, total: total)
            )
        )
        store.refuseBodies()
        let world = World(store: store)
        let client = world.get()
        let place = ("Content-Range", "bytes \(first)-\(total - 1)/\(total)")
        world.last.head(206, World.freshPart + [place], length: 10)
        world.last.content("0123456789")
        world.last.end()
        world.runUntilIdle()
        return (world, client)
    }

    @Test("each MiB of the file is verified before any of it is read, in pieces of 64 KiB")
    func order() {
        let count = Self.mebibyte + 100_000
        let file = NotingFile(count)
        let (world, client) = client(of: file)
        var expected = ["verify 0 1048576"]
        expected += (0..<16).map { "read \($0 * 65_536) 65536" }
        expected += ["verify 1048576 100000", "read 1048576 65536", "read 1114112 34464"]
        #expect(file.notes.value == expected)
        #expect(client.byteCount == Int(count) + 10 && client.ending == .complete)
        #expect(client.bytes.suffix(10) == Array("0123456789".utf8)[...] && !world.resource().isLoading)
    }

    @Test(
        "a file that ends with a block, or a piece, is verified and read no further",
        arguments: [65_536, 1 << 20] as [Int64]
    )
    func ends(count: Int64) {
        let file = NotingFile(count)
        let (_, client) = client(of: file)
        #expect(file.notes.value.first == "verify 0 \(count)" && file.notes.value.count == 1 + Int(count) / 65_536)
        #expect(client.byteCount == Int(count) + 10 && client.ending == .complete)
    }

    @Test(
        "of a block that is not what was stored no byte reaches a client; the store drops the part",
        arguments: [0, 1 << 20] as [Int64]
    )
    func damaged(sound: Int64) {
        let file = NotingFile(Self.mebibyte + 100_000, sound: sound)
        let (world, client) = client(of: file)
        let reads = file.notes.value.filter { $0.hasPrefix("read") }
        #expect(reads.count == (sound == 0 ? 0 : 16) && client.byteCount <= Int(sound))
        #expect(client.ending == .failed && !world.resource().isLoading)
        #expect(world.parts.isEmpty && world.store?.records(of: World.uri("/a")).isEmpty == true)
    }
}

/// A file that notes what is verified and read of it.
private final class NotingFile: BodyFile {
    let notes = LockedBox<[String]>([])
    let count: Int64
    /// What is behind so many bytes is damaged, and can be read all the same.
    private let sound: Int64

    init(_ count: Int64, sound: Int64 = .max) { (self.count, self.sound) = (count, sound) }

    func piece(_ range: Range<Int64>) -> BodyPiece { .chunks([]) }
    func read(_ count: Int, at offset: Int64) -> [UInt8]? {
        notes.change { $0.append("read \(offset) \(count)") }
        return [UInt8](repeating: 1, count: count)
    }
    func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) {
        notes.change { $0.append("verify \(range.lowerBound) \(range.count)") }
        completion(range.upperBound <= sound)
    }
    func isVerified(_ range: Range<Int64>) -> Bool { false }
}
