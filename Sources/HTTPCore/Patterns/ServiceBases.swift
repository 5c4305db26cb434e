/// A named part of a service: the URIs below a base URL.
public struct ServiceBase: Sendable, Hashable {
    public let name: String
    public let url: TargetURI

    public init(name: String, url: TargetURI) {
        self.name = name
        self.url = url
    }
}

/// Maps each URI to a named part: the one whose base is its longest prefix, if any.
public struct ServiceBases: Sendable {
    /// Two bases claim the same URIs, or two parts have one name.
    public struct Conflict: Error, Sendable {
        /// A sentence for a person.
        public var userMessage: String
    }

    /// Longest path first.
    private let bases: [ServiceBase]

    /// No named parts: every URI belongs to the service itself.
    public init() { bases = [] }

    public init(_ bases: [ServiceBase]) throws(Conflict) {
        for (index, one) in bases.enumerated() {
            for other in bases[..<index] {
                if one.name == other.name {
                    throw Conflict(userMessage: "there are two services named \(one.name)")
                }
                if one.url.isUnder(other.url), other.url.isUnder(one.url) {
                    throw Conflict(
                        userMessage: "the services \(other.name) and \(one.name) have the same base \(one.url.text)"
                    )
                }
            }
        }
        self.bases = bases.sorted { $0.url.pathWithoutQuery.count > $1.url.pathWithoutQuery.count }
    }

    public var names: [String] { bases.map(\.name) }

    /// The named part that `uri` belongs to, if any.
    public func owner(of uri: TargetURI) -> ServiceBase? { bases.first { uri.isUnder($0.url) } }
}
