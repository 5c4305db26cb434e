/// What a transaction changes beside its rows, once it is committed.
struct FileChanges {
    /// Files whose row was deleted.
    var doomed: [DoomedTable.DoomedFile] = []
    /// Drafts that got a row.
    var stored: [StoredBodyFile] = []
    /// Those of them that may have the same bytes as another body file, given by its number.
    var alike: [(body: StoredBodyFile, other: Int64)] = []
    var addedEntries: Int64 = 0
    var space = SpaceSavings()
    /// Bytes that files give up without losing their row.
    var releasedBytes: Int64 = 0

    var addedBytes: Int64 { stored.reduce(-releasedBytes) { $0 + StoreLimits.fileCost($1.count) } }
}
