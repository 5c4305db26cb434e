import JSON
import Settings
import Terminal

/// The order of a listing: texts from A, numbers from the largest.
enum ListOrder: String, CaseIterable {
    case url, state, status, size, age, ttl, hits

    init(named name: String) throws(CommandFailure) {
        guard let order = ListOrder(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(
                "`--sort` has no order `\(Console.printable(name))`; the orders are \(names)",
                exitCode: 2
            )
        }
        self = order
    }

    /// Resources without a value are last; those with equal values are in the order of their URLs.
    ///
    /// - Parameter isReversed: reverses all of this.
    func sorted(_ resources: [JSONValue], isReversed: Bool = false) -> [JSONValue] {
        let ordered = resources.sorted { one, other in
            switch (key(one), key(other)) {
            case (.number(let left)?, .number(let right)?) where left != right: left > right
            case (.text(let left)?, .text(let right)?) where left != right: left < right
            case (nil, _?): false
            case (_?, nil): true
            case (_, _): (one["uri"]?.text ?? "") < (other["uri"]?.text ?? "")
            }
        }
        return isReversed ? ordered.reversed() : ordered
    }

    private enum Key {
        case number(Int64)
        case text(String)
    }

    private func key(_ resource: JSONValue) -> Key? {
        switch self {
        case .url: resource["uri"]?.text.map(Key.text)
        case .state: resource["state"]?.text.map(Key.text)
        case .status: resource["status"]?.integer.map { Key.text("\($0)") }
        case .size: resource["size"]?.integer.map(Key.number)
        case .age: resource["ageSeconds"]?.integer.map(Key.number)
        case .ttl: resource["ttlSeconds"]?.integer.map(Key.number)
        case .hits: resource["hits"]?.integer.map(Key.number)
        }
    }
}
