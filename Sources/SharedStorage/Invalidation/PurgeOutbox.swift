import HTTPCore
import Stores

/// What this node has announced and not yet seen in the stream.
struct PurgeOutbox {
    private struct Item {
        let number: UInt64
        let change: SharedChange
        var isSent = false
    }

    private var items: [Item] = []

    mutating func add(_ change: SharedChange, number: UInt64) { items.append(Item(number: number, change: change)) }

    /// Replaces all that came before by one purge of everything.
    mutating func replaceAll(number: UInt64) {
        items.removeAll { $0.number < number }
        add(.purgeAll, number: number)
    }

    /// The numbers of those to send.
    var unsent: [UInt64] { items.lazy.filter { !$0.isSent }.map(\.number) }

    /// The change with this number, if it is still to be sent; it counts as sent.
    mutating func begin(_ number: UInt64) -> SharedChange? {
        guard let index = items.firstIndex(where: { $0.number == number && !$0.isSent }) else { return nil }
        items[index].isSent = true
        return items[index].change
    }

    /// It could not be sent.
    mutating func fail(_ number: UInt64) {
        guard let index = items.firstIndex(where: { $0.number == number }) else { return }
        items[index].isSent = false
    }

    /// The connection was lost: what was not seen may not be there.
    mutating func restart() { for index in items.indices { items[index].isSent = false } }

    mutating func didSee(_ number: UInt64) { items.removeAll { $0.number == number } }
}
