import EntityStorage
import ResourceCore
import Testing

@Suite("Blocks of body files that are sent again soon")
struct WarmBlockTests {
    private static let block = 1 << 20

    private let directory = TemporaryDirectory()

    private func open() async throws -> OpenStore {
        let store = try OpenStore(directory)
        #expect(await store.openError == nil)
        return store
    }

    /// The octets at `range` of `pages`.
    private func octets(_ pages: any FilePages, _ range: Range<Int64>) -> [UInt8] {
        let start = UnsafeRawPointer(bitPattern: pages.address(of: range.lowerBound))
        return Array(UnsafeRawBufferPointer(start: start, count: range.count))
    }

    @Test("a block is mapped when it is sent again, and holds what the file holds")
    func secondTime() async throws {
        let content = EntityStorageTests.octets(Self.block + 300_000)
        let store = try await open()
        let file = try #require(await store.body(content))
        let first = Int64(0)..<Int64(Self.block)
        let second = Int64(Self.block)..<Int64(content.count)
        #expect(file.pages(first) == nil && file.pages(second) == nil)
        #expect(octets(try #require(file.pages(first)), first) == Array(content[..<Self.block]))
        #expect(octets(try #require(file.pages(second)), second) == Array(content[Self.block...]))
        let part = second.lowerBound + 1000..<second.lowerBound + 101_000
        let lower = Int(part.lowerBound)
        #expect(octets(try #require(file.pages(part)), part) == Array(content[lower..<lower + 100_000]))
    }

    @Test("small parts, and parts of two blocks, go by the descriptor")
    func otherParts() async throws {
        let store = try await open()
        let file = try #require(await store.body(EntityStorageTests.octets(2 * Self.block)))
        for range in [0..<65_535, Int64(Self.block - 100_000)..<Int64(Self.block + 1)] {
            #expect(file.pages(range) == nil)
            #expect(file.pages(range) == nil)
        }
    }

    @Test("a block is cold again, and unmapped, once 32 MiB of others were sent")
    func cold() async throws {
        let store = try await open()
        let file = try #require(await store.body(EntityStorageTests.octets(Self.block)))
        let others = try #require(await store.body(EntityStorageTests.octets(Self.block, seed: 2)))
        let whole = Int64(0)..<Int64(Self.block)
        _ = file.pages(whole)
        weak let mapped = file.pages(whole)
        #expect(mapped != nil)
        for _ in 0..<30 { _ = others.pages(whole) }
        #expect(file.pages(whole) === mapped && mapped != nil)
        // The others are sent all along; whatever is sent looks for the cold now and then.
        for _ in 0..<48 { _ = others.pages(whole) }
        #expect(mapped == nil)
        #expect(file.pages(whole) == nil)
        #expect(file.pages(whole) != nil)
    }

    @Test("what nobody holds any more is not mapped either, except what is being sent")
    func released() async throws {
        let store = try await open()
        let whole = Int64(0)..<Int64(Self.block)
        var file = await store.body(EntityStorageTests.octets(Self.block))
        _ = file?.pages(whole)
        var sent = file?.pages(whole)
        weak let mapped = sent
        file = nil
        #expect(octets(try #require(sent), whole) == EntityStorageTests.octets(Self.block))
        sent = nil
        #expect(mapped == nil)
    }
}
