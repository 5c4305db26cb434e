import HTTPCore
import TestSupport
import Testing

@testable import EntityStorage

/// The small tables beside the rows.
@Suite("Tables of a store") struct TableTests {
    private let home = TemporaryDirectory()
    private let connection: WriterConnection

    init() throws {
        let database = try Database(StoreDirectory.database, in: OpenDirectory(home.path), at: home.path)
        #expect(try Schema.prepare(database, at: home.path))
        connection = try WriterConnection(database)
    }

    @Test("of body files that may have the same bytes the newest is named, and names are counted until the last goes")
    func contents() throws {
        let contents = connection.contents
        #expect(try contents.add(1, sum: 7) == nil && contents.add(2, sum: 7) == 1)
        #expect(try contents.add(3, sum: 8) == nil && contents.add(4, sum: 7) == 2)
        #expect(try contents.base(of: 1, for: 2) == 1 && contents.base(of: 1, for: 3) == nil)
        #expect(try contents.base(of: 9, for: 2) == nil && contents.base(of: 1, for: 9) == nil)
        #expect(try !contents.isName(2) && !contents.isName(9))
        // When the second is a name of the first
        try contents.share(2, 1)
        #expect(try contents.isName(2) && !contents.isName(1))
        #expect(try contents.base(of: 2, for: 1) == nil, "it has another name")
        #expect(try contents.base(of: 1, for: 2) == nil, "it is a name already")
        #expect(try contents.base(of: 2, for: 4) == 1)
        // Then its bytes stay as long as one of them does
        #expect(try contents.remove(1) && !contents.remove(1) && !contents.remove(2))
        #expect(try !contents.remove(3) && !contents.remove(4))
    }

    @Test("a name that becomes a file of its own leaves the base to the others")
    func separating() throws {
        let contents = connection.contents
        for file in 1...3 as ClosedRange<Int64> {
            _ = try contents.add(file, sum: 7)
            try contents.share(file, 1)
        }
        #expect(try contents.separate(2) && !contents.isName(2) && contents.isName(3))
        #expect(try contents.remove(1) && !contents.separate(3) && !contents.isName(3) && !contents.separate(9))
    }

    @Test("a doomed file is remembered with its size until it is removed")
    func doomed() throws {
        try connection.doomed.add((5, 100))
        try connection.doomed.add((6, 0))
        try connection.doomed.add((5, 70))
        let all = try connection.doomed.all.sorted { $0.file < $1.file }
        #expect(all.map { $0.file } == [5, 6] && all.map { $0.size } == [70, 0])
        try connection.doomed.remove(5)
        #expect(try connection.doomed.all.map { $0.file } == [6])
    }

    @Test("a used row is there until it is taken")
    func usage() throws {
        try connection.usage.add(3)
        try connection.usage.add(3)
        #expect(try !connection.usage.remove(4) && connection.usage.remove(3) && !connection.usage.remove(3))
    }

    @Test("numbers are set and added to; one that is absent counts as 0")
    func numbers() throws {
        let meta = connection.meta
        #expect(
            try meta.number(.fileBytes) == 0 && meta.savings() == Savings() && meta.spaceSavings() == SpaceSavings()
        )
        try meta.set(.fileBytes, 5)
        try meta.add(.fileBytes, 2)
        #expect(try meta.number(.fileBytes) == 7 && meta.number(.entries) == 0)
        try meta.add(.savedRequests, 3)
        try meta.add(.savedBytes, 40)
        #expect(try meta.savings() == Savings(requests: 3, bytes: 40))
        try meta.add(.savedSince, 1)
        #expect(try meta.savings() == Savings(requests: 3, bytes: 40, since: HTTPDate(seconds: 1)))
        var space = SpaceSavings()
        (space.compressedEntries, space.compressedContent, space.compressedBytes) = (1, 2, 3)
        (space.sharedBodies, space.sharedBytes) = (4, 5)
        try meta.add(space)
        #expect(try meta.spaceSavings() == space)
        try meta.add(space)
        #expect(try meta.spaceSavings() == space + space)
    }

    @Test("a transaction that fails changes nothing, and the next one can begin")
    func transaction() throws {
        #expect(throws: DatabaseError.self) {
            try connection.transaction { () throws(DatabaseError) -> Void in
                try connection.meta.set(.fileBytes, 5)
                throw DatabaseError(code: 13, message: "full")
            }
        }
        #expect(try connection.database.isIdle && connection.meta.number(.fileBytes) == 0)
        let result = try connection.transaction { () throws(DatabaseError) -> Int in
            try connection.meta.set(.fileBytes, 6)
            return 1
        }
        #expect(try result == 1 && connection.meta.number(.fileBytes) == 6)
        try connection.tryLock()
        #expect(connection.database.isIdle)
    }

    @Test("damage, a lock and a refusal are told apart by the code, extended or not")
    func errors() {
        func claims(_ code: Int32) -> [Bool] {
            let error = DatabaseError(code: code, message: "")
            return [error.isDamage, error.isBusy, error.isRefusal]
        }
        for code in [11, 26, 11 | 1 << 8] as [Int32] { #expect(claims(code) == [true, false, false], "\(code)") }
        for code in [5, 5 | 2 << 8] as [Int32] { #expect(claims(code) == [false, true, false], "\(code)") }
        for code in [13, 10, 8, 14, 3, 10 | 3 << 8] as [Int32] {
            #expect(claims(code) == [false, false, true], "\(code)")
        }
        for code in [1, 19] as [Int32] { #expect(claims(code) == [false, false, false], "\(code)") }
    }
}
