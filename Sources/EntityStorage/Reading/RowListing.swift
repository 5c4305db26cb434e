import Stores

/// A listing in progress: what was found, and where to go on.
struct RowListing: Sendable {
    /// The id of the last row that was read.
    private(set) var last: Int64
    /// How many rows are still to be read.
    private(set) var rest: Int
    let test: any RowTest
    /// Changes that cannot be made yet.
    let hidden: HiddenChanges
    /// Its cursor is the last row that was read; nil before the first row and after the end.
    private(set) var page = StoredPage([], next: nil)

    init(after last: Int64, limit: Int, without hidden: HiddenChanges, where test: any RowTest) {
        self.last = last
        rest = limit
        self.test = test
        self.hidden = hidden
    }

    /// Notes that the row with this id was read.
    mutating func pass(_ id: Int64) {
        last = id
        rest -= 1
        page.next = id
    }

    mutating func add(_ entry: StoredSummary) { page.entries.append(entry) }

    /// There are no more rows.
    mutating func end() {
        rest = 0
        page.next = nil
    }

    /// Reads no more rows for this page.
    mutating func stop() { rest = 0 }
}
