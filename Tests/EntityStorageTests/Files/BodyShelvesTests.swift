import TestSupport
import Testing

@testable import EntityStorage

/// The directories of body files, and the space that they take.
@Suite struct BodyShelvesTests {
    private let home = TemporaryDirectory()

    private static func budget() -> DiskBudget {
        DiskBudget(limits: StoreLimits(limit: 64 << 20, maximumObjectSize: 1 << 20))
    }

    @Test(
        "the space of every shelf counts, from the first to the last, until it is given back",
        arguments: [0, 1, 255]
    )
    func measuring(shelf: Int64) throws {
        let directory = try StoreDirectory(home.path + "/store")
        let budget = Self.budget()
        var shelves = BodyShelves(in: directory, diskBudget: budget)
        shelves.measure()
        #expect(budget.used.directories == 0)
        // Given a draft that gets a row
        let file = 256 * 3 + shelf
        _ = try directory.makeDraft(file)
        try shelves.add(file)
        #expect(directory.drafts.isEmpty && directory.files(onShelf: Int(shelf)) == [file])
        // Then its shelf counts, also for the next start, and once only
        let usage = budget.used.directories
        #expect(usage > 0 && usage == directory.usage(ofShelf: Int(shelf)))
        shelves.measure()
        #expect(budget.used.directories == usage)
        let later = Self.budget()
        var others = BodyShelves(in: directory, diskBudget: later)
        others.measure()
        #expect(later.used.directories == usage)
        others.release()
        others.release()
        #expect(later.used.directories == 0)
        others.measure()
        #expect(later.used.directories == usage)
    }

    @Test("a body file is removed from its shelf, or as a draft, and its space given back")
    func removing() throws {
        let directory = try StoreDirectory(home.path + "/store")
        let budget = Self.budget()
        var shelves = BodyShelves(in: directory, diskBudget: budget)
        for file in [5, 6] as [Int64] {
            _ = try directory.makeDraft(file)
            #expect(budget.reserveFiles(StoreLimits.fileCost(100)))
        }
        try shelves.add(5)
        shelves.remove(5, size: 100)
        #expect(directory.files(onShelf: 5).isEmpty && budget.used.files == StoreLimits.fileCost(100))
        #expect(directory.drafts == [6])
        shelves.remove(6, size: 100)
        #expect(directory.drafts.isEmpty && budget.used.files == 0)
    }
}
