/// The files of the database: the database itself, its log, and damaged databases that were kept.
extension StoreDirectory {
    private static let setAsidePrefix = "cache.db.damaged-"

    /// The length of a file in bytes; 0 if there is none.
    func size(of name: String) -> Int64 { root.status(of: name)?.count ?? 0 }

    /// What `du` counts for a file; 0 if there is none.
    func usage(of name: String) -> Int64 { root.status(of: name)?.usage ?? 0 }

    /// What `du` counts for the log and its index.
    var logUsage: Int64 { usage(of: Self.log) + usage(of: Self.sharedMemory) }

    /// Removes the log of a database that is gone: it belongs to no other.
    func removeLog() {
        for name in [Self.log, Self.sharedMemory] { root.remove(name) }
    }

    /// Removes the database, which must not be open.
    func removeDatabase() {
        root.remove(Self.database)
        removeLog()
    }

    // MARK: Damaged databases

    /// What `du` counts for damaged databases that were kept.
    var setAsideUsage: Int64 { setAsideNames.reduce(0) { $0 + usage(of: $1) } }

    /// Removes damaged databases that were kept earlier; keeps the present one if `isKept`.
    ///
    /// Returns the path of the kept one.
    func setDatabaseAside(isKept: Bool) -> String? {
        let former = setAsideNames
        let name = "\(Self.setAsidePrefix)\((former.compactMap(Self.setAsideNumber).max() ?? 0) + 1)"
        for name in former { root.remove(name) }
        guard isKept else { return nil }
        try? root.rename(Self.database, to: root, name)
        return "\(path)/\(name)"
    }

    private var setAsideNames: [String] { root.names.filter { Self.setAsideNumber($0) != nil } }

    /// The number in the name of a damaged database that was kept; nil for any other name.
    private static func setAsideNumber(_ name: String) -> Int? {
        guard name.hasPrefix(setAsidePrefix) else { return nil }
        let text = name.dropFirst(setAsidePrefix.count)
        return Int(text).flatMap { $0 > 0 && String($0) == text ? $0 : nil }
    }
}
