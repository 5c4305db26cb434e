import Testing

@testable import EntityStorage

/// How a store divides its limit, and what it uses of it (H-130).
@Suite("The disk space of a store") struct DiskBudgetTests {
    private static let limits = StoreLimits(limit: 64 << 20, maximumObjectSize: 1 << 30)
    private let budget = DiskBudget(limits: DiskBudgetTests.limits)
    private var capacity: Int64 { Self.limits.limit - Self.limits.fixed }

    // MARK: Limits

    @Test("each part of the limit is a share of it, and has a most")
    func shares() {
        let small = StoreLimits(limit: 16 << 20, maximumObjectSize: 1 << 30)
        #expect(small.ballast == 2 << 20 && small.log == 4 << 20 && small.batchBytes == 512 << 10)
        #expect(small.fixed == small.ballast + small.log + 80 << 10 + 128 << 10)
        #expect(small.maximumObjectSize == (small.limit - small.fixed) / 2)
        let large = StoreLimits(limit: 4 << 30, maximumObjectSize: 1 << 30)
        #expect(large.ballast == 8 << 20 && large.log == 8_704 << 10 && large.batchBytes == 1 << 20)
        #expect(large.fixed == large.ballast + large.log + 80 << 10 + 4 << 20)
        #expect(large.maximumObjectSize == 1 << 30)
        #expect(large.logFrames == 2162 && large.checkpointFrames == 1000)
        #expect(small.logFrames == 1017 && small.checkpointFrames == 508)
    }

    @Test(
        "a file takes whole pages, and its share of the directory",
        arguments: [(0, 0), (1, 1), (4095, 1), (4096, 1), (4097, 2), (8192, 2), (8193, 3)] as [(Int64, Int64)]
    )
    func costs(count: Int64, pages: Int64) {
        #expect(StoreLimits.contentCost(count) == pages * 4096 && StoreLimits.fileCost(count) == (pages + 1) * 4096)
    }

    // MARK: The budget

    @Test("files are reserved up to the capacity, to the byte, whatever uses the rest")
    func files() {
        #expect(budget.capacity == capacity && budget.excess == nil)
        #expect(budget.reserveDatabase(1000))
        budget.change { ledger in
            ledger.directories = 200
            ledger.setAside = 30
        }
        #expect(budget.used.total == 1230)
        #expect(!budget.reserveFiles(capacity - 1229) && budget.used.files == 0)
        #expect(budget.reserveFiles(capacity - 1230) && budget.used.total == capacity && budget.excess == nil)
        #expect(!budget.reserveFiles(1) && budget.reserveFiles(0))
        budget.releaseFiles(capacity - 1230)
        #expect(budget.used.files == 0 && budget.used.total == 1230)
        budget.change { $0.files = capacity - 1229 }
        #expect(budget.excess == 1)
    }

    @Test("the database grows up to the capacity; what it has already needs no room")
    func database() {
        #expect(budget.reserveFiles(1000) && budget.reserveDatabase(5000) && budget.used.database == 5000)
        #expect(budget.reserveDatabase(5000) && budget.reserveDatabase(4999) && budget.used.database == 5000)
        #expect(!budget.reserveDatabase(capacity - 999) && budget.used.database == 5000)
        #expect(budget.reserveDatabase(capacity - 1000) && budget.used.total == capacity)
        budget.change { $0.files += 1 }
        #expect(budget.reserveDatabase(1) && !budget.reserveDatabase(capacity - 999))
    }

    @Test("a smaller disk lowers the capacity to three quarters of what was tried, and it rises by quarters")
    func disk() {
        #expect(budget.raiseCapacity(), "it is whole")
        budget.change { $0.files = 8_000_000 }
        budget.lowerCapacity()
        #expect(budget.capacity == 6_000_000 && budget.excess == 2_000_000)
        budget.lowerCapacity()
        #expect(budget.capacity == 4_500_000)
        #expect(!budget.raiseCapacity() && budget.capacity == 5_625_000)
        budget.change { $0.diskRoom = capacity / 5 * 4 + 1000 }
        #expect(budget.raiseCapacity() && budget.capacity == capacity && budget.used.diskRoom == .max)
        budget.change { $0.files = 1 }
        budget.lowerCapacity()
        #expect(budget.capacity == 256 << 10, "a least room is left")
    }
}
