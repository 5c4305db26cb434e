import HTTPCore

/// Divides the look-ups in progress between clients, and between the pages of a client.
///
/// While there is room, every look-up is started. Without room, the client with the most gives one up to a client with
/// fewer. Within a client, the page with the most gives one up to a page with fewer.
struct LookUpShares {
    private var clients: [IPAddress?: [[UInt8]: Int]] = [:]
    private var totals: [IPAddress?: Int] = [:]
    /// How many look-ups are in progress.
    private(set) var count = 0

    mutating func add(_ asker: NameAsker) {
        clients[asker.client, default: [:]][asker.page, default: 0] += 1
        totals[asker.client, default: 0] += 1
        count += 1
    }

    mutating func remove(_ asker: NameAsker) {
        guard let pages = clients[asker.client], let number = pages[asker.page] else { return }
        count -= 1
        clients[asker.client]?[asker.page] = number > 1 ? number - 1 : nil
        let left = (totals[asker.client] ?? 1) - 1
        totals[asker.client] = left > 0 ? left : nil
        if left == 0 { clients[asker.client] = nil }
    }

    /// How many look-ups of a client are in progress.
    func total(of client: IPAddress?) -> Int { totals[client] ?? 0 }

    /// The asker that gives a look-up up to `asker` when there is no room; nil: none has more than its share.
    func giver(to asker: NameAsker) -> NameAsker? {
        let own = totals[asker.client] ?? 0
        if let (client, most) = totals.max(by: { $0.value < $1.value }), client != asker.client, own + 1 < most {
            return greediestPage(of: client)
        }
        guard let page = greediestPage(of: asker.client), let most = clients[asker.client]?[page.page] else {
            return nil
        }
        return (clients[asker.client]?[asker.page] ?? 0) + 1 < most ? page : nil
    }

    private func greediestPage(of client: IPAddress?) -> NameAsker? {
        clients[client]?.max { $0.value < $1.value }.map { NameAsker(client: client, page: $0.key) }
    }
}
