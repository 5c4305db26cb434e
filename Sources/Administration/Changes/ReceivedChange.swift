public import HTTPCore
public import ResourceCore
public import Stores

/// Makes changes that other nodes have announced, on this node alone.
///
/// Loads that began before store nothing (S-203). What other nodes share is not touched: the node that announces a
/// change makes it there.
public struct ReceivedChange: Sendable {
    private let service: Service
    private let store: (any VariantStore)?

    /// - Parameter store: this node's own; nil: responses are in memory only.
    public init(_ service: Service, _ store: (any VariantStore)?) { (self.service, self.store) = (service, store) }

    /// What a text in an announced change selects; nil: it is no filter about URLs.
    public static func filter(_ text: String) -> (@Sendable (TargetURI) -> Bool)? {
        guard let filter = try? ResourceFilter(text), !filter.isEmpty, filter.isAboutURIs else { return nil }
        return filter.matches
    }

    /// Makes a change; blocks for as long as it takes to go through memory.
    public func make(_ change: SharedChange) {
        switch change {
        case .purge(let uri): drop(uri) { [store] in store?.remove($0, $1) }
        case .invalidate(let uri): drop(uri) { [store] uri, end in store?.invalidate(uri) { _ in end(0) } }
        case .purgeTags(let tags): service.table.purge(tags)
        case .purgeMatching(_, let condition): drop(where: condition)
        }
    }

    /// Drops from memory what the node cannot prove current.
    public func wipeAll() { service.table.wipe { _ in true } }

    /// Drops a URI, and what the query rules of this node map it to.
    private func drop(_ uri: TargetURI, _ change: (TargetURI, @escaping @Sendable (Int) -> Void) -> Void?) {
        for each in Set([uri, service.identity(of: uri)]) { dropOne(each, change) }
    }

    /// Drops it from memory before and after the store has changed: a look-up may be in progress.
    private func dropOne(_ uri: TargetURI, _ change: (TargetURI, @escaping @Sendable (Int) -> Void) -> Void?) {
        let table = service.table
        table.find(uri)?.wipe()
        _ = change(uri) { _ in table.find(uri)?.wipe() }
        if table.mayHaveQuestions(to: uri) { table.purgeQuestions(to: uri) { _ in } }
    }

    private func drop(where condition: @escaping @Sendable (TargetURI) -> Bool) {
        let table = service.table
        table.wipe(where: condition)
        store?.removeAll(where: condition) { _ in table.wipe(where: condition) }
    }
}
