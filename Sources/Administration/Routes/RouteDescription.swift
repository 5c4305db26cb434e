import HTTPCore

/// A path of the admin API, and what can be done there.
///
/// The program matches, checks and refuses requests by these descriptions, and makes the OpenAPI document from them.
struct RouteDescription: Sendable {
    /// The path; a name in braces stands for one segment.
    let template: String
    let operations: [Operation]
    private let find: @Sendable (String) -> AdminRoute?

    /// A path without variable.
    init(_ path: String, _ route: AdminRoute, _ operations: [Operation]) {
        template = path
        self.operations = operations
        find = { $0 == path ? route : nil }
    }

    /// A path with one variable.
    ///
    /// - Parameter make: returns nil if there is nothing of that name.
    init(_ template: String, _ operations: [Operation], make: @escaping @Sendable (String) -> AdminRoute?) {
        self.template = template
        self.operations = operations
        let prefix = String(template.prefix { $0 != "{" })
        let suffix = String(template.drop { $0 != "}" }.dropFirst())
        find = { path in
            guard path.utf8.count > prefix.utf8.count + suffix.utf8.count, path.hasPrefix(prefix),
                path.hasSuffix(suffix)
            else { return nil }
            let variable = path.dropFirst(prefix.count).dropLast(suffix.count)
            return variable.contains("/") ? nil : make(String(variable))
        }
    }

    /// The route of a path that this describes; nil for other paths.
    func route(of path: String) -> AdminRoute? { find(path) }

    /// The methods that are allowed, in the order of `Allow` (H-145): where GET is, HEAD is, too.
    var methods: [Method] { operations.flatMap { $0.method == .get ? [.get, .head] : [$0.method] } }

    /// What a request with this method does; nil if it is not allowed.
    func operation(_ method: Method) -> Operation? {
        let named = method == .head ? .get : method
        return operations.first { $0.method == named }
    }

    /// The right that a request needs; a method that is not allowed needs all of them, except where nothing is
    /// protected.
    ///
    /// The read token shows neither content nor settings: either may have secrets in it.
    func need(_ method: Method) -> TokenNeed {
        if let operation = operation(method) { return operation.need }
        return operations.allSatisfy { $0.need == .none } ? .none : .all
    }
}

/// The route of a request, and its description.
struct MatchedRoute: Sendable {
    let route: AdminRoute
    let description: RouteDescription

    /// Returns nil if there is nothing at `path`.
    ///
    /// - Parameter path: without the query.
    init?(path: String) {
        for description in RouteDescription.all {
            guard let route = description.route(of: path) else { continue }
            self.route = route
            self.description = description
            return
        }
        return nil
    }

    func need(_ method: Method) -> TokenNeed { description.need(method) }
}
