/// Takes parameters out of the queries of some URIs, or puts them in order: what only seems to tell URIs apart.
public struct QueryRule: Sendable, Hashable {
    public var match: URLGlob
    /// Empty: requests with any method.
    public var methods: Set<Method>
    /// Names of parameters that go, compared with case; `*` stands for any octets.
    public var dropped: [String] { didSet { patterns = dropped.map(Self.pattern) } }
    /// Whether what stays is sorted by name; parameters of one name keep their order.
    public var sorts: Bool
    private var patterns: [OctetPattern]

    public init(_ match: URLGlob, methods: Set<Method> = [], dropping dropped: [String] = [], sorts: Bool = false) {
        self.match = match
        self.methods = methods
        self.dropped = dropped
        self.sorts = sorts
        patterns = dropped.map(Self.pattern)
    }

    private static func pattern(_ name: String) -> OctetPattern {
        let text = Array(name.utf8)
        var pieces: [OctetPattern.Piece] = []
        var index = 0
        while index < text.count {
            if text[index] == 0x2A {
                if pieces.last != .anything { pieces.append(.anything) }
                index += 1
            } else {
                pieces += PathText.next(text[...], &index, keeping: PathText.queryDelimiters).map { .octet($0) }
            }
        }
        return OctetPattern(pieces, delimiters: [])
    }

    /// The query that stays of `query` (without its `?`): its parameters as sent, octet by octet; empty if none stays.
    ///
    /// A rule that changes nothing gives the query as it is, empty parameters (`a&&b`) included.
    public func applied(to query: ArraySlice<UInt8>) -> [UInt8] {
        var parameters = query.split(separator: 0x26, omittingEmptySubsequences: false)
        if !patterns.isEmpty {
            parameters.removeAll { parameter in
                let name = PathText.unescaped(parameter.prefix { $0 != 0x3D }, keeping: PathText.queryDelimiters)
                return patterns.contains { $0.matches(name) }
            }
        }
        if sorts {
            // The order of equal names must stay: their places decide.
            let names = parameters.map { $0.prefix { $0 != 0x3D } }
            let order = parameters.indices.sorted { left, right in
                names[left] == names[right] ? left < right : names[left].lexicographicallyPrecedes(names[right])
            }
            parameters = order.map { parameters[$0] }
        }
        return Array(parameters.joined(separator: [0x26]))
    }
}

extension TargetURI {
    /// The URI by which `rules` identify this one for a request with `method`; HEAD goes with GET.
    ///
    /// All rules whose pattern matches the URI as it was sent are applied, in order. A query of which nothing stays loses its
    /// `?`.
    public func applying(_ rules: [QueryRule], for method: Method) -> TargetURI {
        guard !rules.isEmpty, let query else { return self }
        let method = method == .head ? .get : method
        var changed: [UInt8]?
        for rule in rules where rule.methods.isEmpty || rule.methods.contains(method) {
            guard rule.match.matches(self) else { continue }
            changed = rule.applied(to: changed.map { $0[...] } ?? query)
        }
        guard let changed, !changed.elementsEqual(query) else { return self }
        let path = Array(pathWithoutQuery)
        return TargetURI(scheme: scheme, host: host, port: port, path: changed.isEmpty ? path : path + [0x3F] + changed)
    }
}
