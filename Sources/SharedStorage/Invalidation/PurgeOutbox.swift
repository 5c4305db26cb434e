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

    /// Replaces all earlier changes by one that drops everything.
    mutating func replaceAll(number: UInt64) {
        items.removeAll { $0.number < number }
        add(.purgeAll, number: number)
    }

    /// The numbers of the changes to send.
    var unsent: [UInt64] { items.lazy.filter { !$0.isSent }.map(\.number) }

    /// The change with this number, if it is still to be sent; it counts as sent.
    mutating func begin(_ number: UInt64) -> SharedChange? {
        guard let index = items.firstIndex(where: { $0.number == number && !$0.isSent }) else { return nil }
        items[index].isSent = true
        return items[index].change
    }

    /// Notes that the change could not be sent: it is to be sent again.
    mutating func fail(_ number: UInt64) {
        guard let index = items.firstIndex(where: { $0.number == number }) else { return }
        items[index].isSent = false
    }

    /// After a lost connection: a change that was not seen in the stream may be missing there, and is sent again.
    mutating func restart() { for index in items.indices { items[index].isSent = false } }

    mutating func didSee(_ number: UInt64) { items.removeAll { $0.number == number } }
}
