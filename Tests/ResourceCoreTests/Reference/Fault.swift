/// A fault between the world and the cache: it does not learn, or not do, one thing.
///
/// The property must find each; else it would find no such fault in the cache either.
enum Fault: String, CaseIterable, Sendable {
    case ignoresNoStore
    case ignoresPrivate
    case ignoresNoCache
    case ignoresMustRevalidate
    case ignoresSMaxAge
    case ignoresAge
    case ignoresVary
    case ignoresDate
    case ignoresRequestNoCache
    case ignoresRequestMaxAge
    case ignoresRequestNoStore
    case ignoresOnlyIfCached
    case ignoresCredentials
    case ignoresUnsafeMethods
    case acceptsAnyTagOf304
    case keepsLifetimeOn304
    case acceptsPartForWhole
    case acceptsAnyTagOfRest

    /// A response as the cache sees it.
    func seen(_ lines: RandomMessages.Lines, is304: Bool) -> RandomMessages.Lines {
        switch self {
        case .ignoresNoStore: without("no-store", lines)
        case .ignoresPrivate: without("private", lines)
        case .ignoresNoCache: without("no-cache", lines)
        case .ignoresMustRevalidate: without("must-revalidate", lines)
        case .ignoresSMaxAge: without("s-maxage", lines)
        case .ignoresAge: lines.filter { $0.0 != "Age" }
        case .ignoresVary: lines.filter { $0.0 != "Vary" }
        case .ignoresDate: lines.filter { $0.0 != "Date" }
        case .acceptsAnyTagOf304: is304 ? lines.filter { $0.0 != "ETag" } : lines
        case .keepsLifetimeOn304:
            is304 ? lines.filter { !["Cache-Control", "Expires"].contains($0.0) } : lines
        default: lines
        }
    }

    /// The status of a response as the cache sees it.
    func seen(_ status: Int) -> Int { self == .acceptsPartForWhole && status == 206 ? 200 : status }

    /// A response to `request`, the origin's, as the cache sees it.
    ///
    /// - Parameter ifRange: of the request.
    func seen(_ lines: RandomMessages.Lines, ifRange: String?) -> RandomMessages.Lines {
        switch self {
        case .acceptsPartForWhole: lines.filter { $0.0 != "Content-Range" }
        case .acceptsAnyTagOfRest:
            lines.map { name, value in (name, name == "ETag" ? ifRange ?? value : value) }
        default: seen(lines, is304: false)
        }
    }

    /// A request as the cache sees it.
    func seen(_ request: RandomMessages.Lines) -> RandomMessages.Lines {
        switch self {
        case .ignoresRequestNoCache: without("no-cache", request.filter { $0.0 != "Pragma" })
        case .ignoresRequestMaxAge: without("max-age", request)
        case .ignoresRequestNoStore: without("no-store", request)
        case .ignoresOnlyIfCached: without("only-if-cached", request)
        default: request
        }
    }

    private func without(_ directive: String, _ lines: RandomMessages.Lines) -> RandomMessages.Lines {
        lines.compactMap { name, value in
            guard name == "Cache-Control" else { return (name, value) }
            let left = ReferenceSyntax.members(value).filter { !$0.lowercased().hasPrefix(directive) }
            return left.isEmpty ? nil : (name, left.joined(separator: ", "))
        }
    }
}
