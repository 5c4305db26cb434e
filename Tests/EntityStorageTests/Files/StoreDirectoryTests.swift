import HTTPCore
import TestSupport
import Testing

@testable import EntityStorage

/// The files that a store makes, finds and removes.
@Suite("Files of a store") struct StoreDirectoryTests {
    private let home = TemporaryDirectory()
    private let directory: StoreDirectory

    init() throws { directory = try StoreDirectory(home.path("store")) }

    /// A body on its shelf.
    private func shelve(_ file: Int64, _ content: [UInt8]) throws {
        try directory.makeDraft(file).write(ByteChunk(content), at: 0)
        try directory.moveToShelf(file)
    }

    @Test("a damaged database that is kept has the next number, and the one before it goes")
    func setAside() throws {
        func setAside(_ isKept: Bool) throws -> String? {
            try home.write("damaged", to: "store/cache.db")
            return directory.setDatabaseAside(isKept: isKept)
        }
        for number in 1...3 {
            #expect(try setAside(true) == "\(directory.path)/cache.db.damaged-\(number)")
            #expect(directory.root.names.filter { $0.hasPrefix("cache.db") } == ["cache.db.damaged-\(number)"])
        }
        #expect(directory.size(of: "cache.db.damaged-3") == 7)
        #expect(try setAside(false) == nil && directory.root.names.filter { $0.hasPrefix("cache.db") } == ["cache.db"])
        #expect(directory.setAsideUsage == 0)
    }

    @Test("removing all bodies removes those on shelves and drafts, and nothing else")
    func removing() throws {
        for file in [255, 256, 511] as [Int64] { try shelve(file, [1]) }
        _ = try directory.makeDraft(7)
        try home.write("x", to: "store/spill/notes")
        directory.removeAllBodies()
        #expect(directory.drafts.isEmpty && directory.spill.names == ["notes"])
        #expect([0, 255].allSatisfy { directory.files(onShelf: $0).isEmpty })
    }

    @Test("a body is opened on its shelf or as a draft, and one that is in neither place is missing")
    func opening() throws {
        try shelve(3, [3])
        try directory.makeDraft(4).write(ByteChunk([4]), at: 0)
        #expect(try directory.openBody(3).read(2, at: 0) == [3] && directory.openBody(4).read(2, at: 0) == [4])
        for file in [5, 259] as [Int64] {
            let error = #expect(throws: FileError.self) { try directory.openBody(file) }
            #expect(error?.isMissing == true)
        }
        #expect(directory.removeBody(3) && !directory.removeBody(3) && !directory.removeBody(4))
    }

    @Test("a body becomes a name of another one only if both are there, and no draft is left of it either way")
    func linking() throws {
        for file in [1, 2] as [Int64] { try shelve(file, [5]) }
        #expect(directory.names(ofBody: 1) == 1 && directory.names(ofBody: 9) == 0)
        // Missing are: a shelf, a file on a shelf, and the body itself.
        for (file, other) in [(1, 9), (1, 257), (9, 1), (257, 2)] as [(Int64, Int64)] {
            let error = #expect(throws: FileError.self) { try directory.replaceBody(file, byLinkTo: other) }
            #expect(error?.isMissing == true, "\(file) by \(other)")
        }
        #expect(directory.drafts.isEmpty && directory.names(ofBody: 1) == 1 && directory.names(ofBody: 2) == 1)
        try directory.replaceBody(1, byLinkTo: 2)
        #expect(directory.drafts.isEmpty && directory.names(ofBody: 1) == 2 && directory.names(ofBody: 2) == 2)
        #expect(directory.files(onShelf: 1) == [1] && directory.files(onShelf: 2) == [2])
    }
}
