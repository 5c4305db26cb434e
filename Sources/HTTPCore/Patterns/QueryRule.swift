/// Removes parameters from the queries of some URIs, or sorts them, so that URIs of one resource compare equal.
public struct QueryRule: Sendable, Hashable {
    public var match: URLGlob
    /// The methods to which the rule applies; empty: all.
    public var methods: Set<Method>
    /// Names of parameters to remove; case matters, and `*` matches any bytes.
    public var dropped: [String] { didSet { patterns = dropped.map(Self.pattern) } }
    /// Whether to sort the others by name, those of one name stay in order; nil leaves that to earlier rules.
    public var sorts: Bool?
    private var patterns: [BytePattern]

    public init(_ match: URLGlob, methods: Set<Method> = [], dropping dropped: [String] = [], sorts: Bool? = nil) {
        self.match = match
        self.methods = methods
        self.dropped = dropped
        self.sorts = sorts
        patterns = dropped.map(Self.pattern)
    }

    private static func pattern(_ name: String) -> BytePattern {
        let text = Array(name.utf8)
        var pieces: [BytePattern.Piece] = []
        var index = 0
        while index < text.count {
            if text[index] == 0x2A {
                if pieces.last != .anything { pieces.append(.anything) }
                index += 1
            } else {
                pieces += PathText.next(text[...], &index, keeping: PathText.queryDelimiters).map { .byte($0) }
            }
        }
        return BytePattern(pieces, delimiters: [])
    }

    /// Whether to remove a parameter with this name, which is unescaped.
    fileprivate func drops(_ name: [UInt8]) -> Bool { patterns.contains { $0.matches(name) } }
}

extension TargetURI {
    /// The URI that `rules` make of this one for a request with `method`; HEAD counts as GET.
    ///
    /// A question keeps the target that rules made for it. It applies all rules whose pattern matches the URI as sent.
    /// The rest stays byte by byte, also empty parameters (`a&&b`). A query without parameters loses its `?`.
    package func applying(_ rules: [QueryRule], for method: Method) -> TargetURI {
        guard !rules.isEmpty, !isQuestion, let query else { return self }
        let method = method == .head ? .get : method
        let applying = rules.filter {
            ($0.methods.isEmpty || $0.methods.contains(method)) && $0.match.matches(self)
        }
        guard !applying.isEmpty else { return self }
        var parameters = query.split(separator: 0x26, omittingEmptySubsequences: false)
        parameters.removeAll { parameter in
            let name = PathText.unescaped(Self.name(parameter), keeping: PathText.queryDelimiters)
            return applying.contains { $0.drops(name) }
        }
        if applying.last(where: { $0.sorts != nil })?.sorts == true { parameters = Self.sorted(parameters) }
        let changed = Array(parameters.joined(separator: [0x26]))
        if changed.elementsEqual(query), !parameters.isEmpty { return self }
        let path = Array(pathWithoutQuery)
        let target = parameters.isEmpty ? path : path + [0x3F] + changed
        return TargetURI(scheme: scheme, host: host, port: port, path: target)
    }

    private static func name(_ parameter: ArraySlice<UInt8>) -> ArraySlice<UInt8> { parameter.prefix { $0 != 0x3D } }

    /// Sorts by name; parameters of one name keep their order.
    private static func sorted(_ parameters: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
        let names = parameters.map(name)
        let order = parameters.indices.sorted { left, right in
            names[left] == names[right] ? left < right : names[left].lexicographicallyPrecedes(names[right])
        }
        return order.map { parameters[$0] }
    }
}
