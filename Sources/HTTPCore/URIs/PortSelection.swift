/// The ports of a list, or any port.
public enum PortSelection: Sendable, Hashable, ExpressibleByArrayLiteral {
    case any
    case listed([UInt16])

    public init(arrayLiteral ports: UInt16...) { self = .listed(ports) }

    public func contains(_ port: UInt16) -> Bool {
        switch self {
        case .any: true
        case .listed(let ports): ports.contains(port)
        }
    }
}
