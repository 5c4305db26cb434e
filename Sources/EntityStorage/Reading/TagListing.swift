import HTTPCore

/// A listing by tag in progress: what was found, and where to go on.
struct TagListing: Sendable {
    var cursor: TagCursor
    /// Changes that cannot be made yet.
    let hidden: HiddenChanges
    private(set) var uris: [TargetURI] = []
    private var seen: Set<TargetURI> = []

    init(_ cursor: TagCursor, _ hidden: HiddenChanges) {
        self.cursor = cursor
        self.hidden = hidden
    }

    mutating func add(_ uri: TargetURI) { if seen.insert(uri).inserted { uris.append(uri) } }
}
