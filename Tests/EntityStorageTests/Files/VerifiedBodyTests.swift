import Stores
import TestSupport
import Testing
import Transforms

@testable import EntityStorage

/// Which bytes of a body file are known to be what was stored (H-155).
@Suite("Verified bytes of body files") struct VerifiedBodyTests {
    private let home = TemporaryDirectory()
    private static let block: Int64 = 1 << 20

    @Test("what this process wrote is known to be right, within the content and nowhere else")
    func written() async throws {
        let store = try OpenStore(home)
        #expect(await store.openError == nil)
        let count: Int64 = 100_000
        let file = try #require(await store.body(bytes(Int(count))))
        for (range, isWhole) in [
            (0..<count, true), (count - 1..<count, true), (0..<count + 1, false), (-1..<1, false), (0..<0, true),
            (count..<count, true), (count + 1..<count + 1, false), (-1..<(-1), false),
        ] as [(Range<Int64>, Bool)] {
            #expect(await file.isWhole(range) == isWhole, "\(range)")
            #expect(file.isVerified(range) == (isWhole && !range.isEmpty), "\(range)")
        }
        await store.close()
    }

    @Test("what an earlier process wrote is checked block by block, when it is asked for")
    func found() async throws {
        let content = bytes(Int(Self.block) + 1000)
        let first = try OpenStore(home)
        #expect(await first.openError == nil)
        let body = try #require(await first.body(content))
        #expect(await first.commit(record("/a", body: .file(body))))
        await first.close()
        let store = try OpenStore(home)
        let found = try #require(await store.lookUp(uri("/a")).first)
        guard case .file(let file) = found.body else { Issue.record("it is in no file"); return }
        let (start, end) = (0..<10 as Range<Int64>, Self.block..<Self.block + 1000)
        #expect(!file.isVerified(start) && !file.isVerified(end))
        #expect(await file.isWhole(start))
        #expect(file.isVerified(start) && file.isVerified(0..<Self.block) && !file.isVerified(0..<Self.block + 1))
        #expect(await file.isWhole(end))
        #expect(file.isVerified(0..<Self.block + 1000) && file.bytes == content)
        await store.close()
    }

    // MARK: Ballast

    @Test("ballast takes its room once, gives it back when it is removed, and a file of another size gives way")
    func ballast() throws {
        let directory = try StoreDirectory(home.path + "/store")
        let size: Int64 = 64 << 10
        var ballast = Ballast(size: size)
        #expect(!ballast.isPresent && ballast.usage == 0)
        try ballast.make(in: directory)
        let status = try #require(directory.root.status(of: StoreDirectory.ballast))
        #expect(ballast.isPresent && ballast.usage == size && status.usage >= size)
        try ballast.make(in: directory)
        #expect(directory.root.status(of: StoreDirectory.ballast)?.identity == status.identity)
        var other = Ballast(size: 2 * size)
        try other.make(in: directory)
        #expect(directory.usage(of: StoreDirectory.ballast) >= 2 * size && other.usage == 2 * size)
        var smaller = Ballast(size: size)
        try smaller.make(in: directory)
        #expect(directory.usage(of: StoreDirectory.ballast) < 2 * size)
        smaller.forget()
        #expect(!smaller.isPresent && smaller.usage == 0 && directory.usage(of: StoreDirectory.ballast) >= size)
        ballast.remove(from: directory)
        #expect(!ballast.isPresent && directory.root.status(of: StoreDirectory.ballast) == nil)
    }
}
