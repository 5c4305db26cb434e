/// The idle connections to one origin; each request borrows one and returns it.
final class IdleConnections {
    let key: PoolKey
    /// The one used last.
    ///
    /// It has a property of its own, since most often there is no other.
    private var last: OriginConnection?
    /// The others, in the order of their last use.
    private var others: [OriginConnection] = []

    init(_ key: PoolKey) { self.key = key }

    var isEmpty: Bool { if case .none = last { true } else { false } }
    /// The one used longest ago.
    var first: OriginConnection? { others.first ?? last }
    var all: [OriginConnection] { last.map { others + [$0] } ?? [] }

    func add(_ connection: OriginConnection) {
        if let former = last.take() { others.append(former) }
        last = connection
    }

    func takeLast() -> OriginConnection? {
        guard let taken = last.take() else { return nil }
        if !others.isEmpty { last = others.removeLast() }
        return taken
    }

    /// Removes a connection; returns whether it was here.
    func remove(_ connection: OriginConnection) -> Bool {
        if connection === last {
            _ = takeLast()
            return true
        }
        guard let index = others.firstIndex(where: { $0 === connection }) else { return false }
        others.remove(at: index)
        return true
    }
}
