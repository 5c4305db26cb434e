/// The body files that have a row, and the disk space of their directories.
///
/// A shelf is a directory for the files whose number has the same low byte. Used on the writer's thread.
struct BodyShelves {
    private let directory: StoreDirectory
    private let diskBudget: DiskBudget
    /// Bytes of each directory, without the files in it, as counted in `diskBudget`.
    private var usages: [Int: Int64] = [:]

    init(in directory: StoreDirectory, diskBudget: DiskBudget) {
        self.directory = directory
        self.diskBudget = diskBudget
    }

    /// Moves a draft that got a row to its shelf.
    ///
    /// If that fails it stays a draft: readers look there, too, and the next start tries again.
    mutating func add(_ file: Int64) throws(FileError) {
        defer { measure(Int(file & 0xFF)) }
        try directory.moveToShelf(file)
    }

    /// Removes a body file, from its shelf or as a draft; `size` is the length of its content.
    func remove(_ file: Int64, size: Int64) {
        if !directory.removeBody(file) { directory.removeDraft(file) }
        diskBudget.releaseFiles(StoreLimits.fileCost(size))
    }

    /// Measures all shelves.
    mutating func measure() { for shelf in 0..<256 { measure(shelf) } }

    private mutating func measure(_ shelf: Int) {
        let usage = directory.usage(ofShelf: shelf)
        let change = usage - (usages[shelf] ?? 0)
        guard change != 0 else { return }
        usages[shelf] = usage
        diskBudget.change { $0.directories += change }
    }

    /// Subtracts the directories from `diskBudget`: they are no longer this store's.
    mutating func release() {
        diskBudget.change { $0.directories -= usages.values.reduce(0, +) }
        usages = [:]
    }
}
