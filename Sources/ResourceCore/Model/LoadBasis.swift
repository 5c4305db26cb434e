/// The stored responses that a load is based on: those it validates, replaces or completes.
///
/// An object, since most loads have none: then there is nothing to copy.
final class LoadBasis: Sendable {
    /// Stored responses whose validators are sent, the selected one first.
    let offered: [StoredResponse]
    /// What the request selected: most likely what the load is going to replace.
    let selected: StoredResponse?
    /// A stored first part of the whole that is asked for: only the rest is (RFC 9111 §3.3).
    let prefix: StoredResponse?

    init(offered: [StoredResponse], selected: StoredResponse?, prefix: StoredResponse? = nil) {
        self.offered = offered
        self.selected = selected
        self.prefix = prefix
    }
}
