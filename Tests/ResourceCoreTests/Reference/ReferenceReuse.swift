// Nothing is imported here.

/// Whether one request may be answered by one response of another request: RFC 9111 §3 and §4, sentence by sentence.
struct ReferenceReuse {
    let version: ReferenceCache.Version
    let request: ReferenceCache.Request
    /// The response's current age.
    let age: Int

    private let control: [(name: String, argument: String?)]
    private let wishes: [(name: String, argument: String?)]

    init(version: ReferenceCache.Version, request: ReferenceCache.Request, age: Int) {
        self.version = version
        self.request = request
        self.age = age
        control = ReferenceSyntax.directives(version.fields.combined("cache-control"))
        wishes = ReferenceSyntax.directives(request.fields.combined("cache-control"))
    }

    private func says(_ name: String) -> Bool { control.contains { $0.name == name } }
    private func says(unqualified name: String) -> Bool { control.contains { $0.name == name && $0.argument == nil } }
    private func wishes(_ name: String) -> Bool { wishes.contains { $0.name == name } }

    /// The seconds of a directive; one that is malformed counts as 0, of several the first.
    private func seconds(_ name: String) -> Int? {
        control.first { $0.name == name }.map { ReferenceSyntax.seconds($0.argument) ?? 0 }
    }

    private func wish(_ name: String) -> Int? {
        wishes.first { $0.name == name }.flatMap { ReferenceSyntax.seconds($0.argument) }
    }

    // MARK: §3 Storing

    func storageObjection() -> String? {
        if version.original.method != "GET" { return "brought by \(version.original.method) (§3)" }
        if version.original.path != request.path { return "another URI (§4)" }
        if version.status < 200 || version.status == 304 { return "not a whole response (§3)" }
        if version.requests.contains(where: { Self.directives(of: $0).contains { $0.name == "no-store" } }) {
            return "request no-store (§5.2.1.5)"
        }
        // A 304 says that what is stored is the answer to the request it answers.
        if let cause = version.requests.last, let objection = credentialObjection(cause) { return objection }
        if says("must-understand") {
            if !Self.understood.contains(version.status) { return "must-understand (§5.2.2.3)" }
        } else if says("no-store") {
            return "no-store (§5.2.2.5)"
        }
        if !isStated, !says("public"), !Self.heuristically.contains(version.status) {
            return "neither a lifetime nor cacheable by default (§3)"
        }
        return nil
    }

    /// §3.5, §5.2.2.7, §7.3, with a private cache for each credential.
    private func credentialObjection(_ cause: ReferenceCache.Request) -> String? {
        let isAlike = Self.authorizing.allSatisfy { cause.fields.values($0) == request.fields.values($0) }
        // Without a cookie the other credentials are all that tells whose it is.
        let cookies = cause.fields.values("cookie")
        let isSame = isAlike && (cookies.isEmpty || cookies == request.fields.values("cookie"))
        let hasAny = Self.credentials.contains { !cause.fields.values($0).isEmpty }
        if says(unqualified: "private"), !isSame || !hasAny { return "private (§5.2.2.7)" }
        if !version.fields.values("set-cookie").isEmpty, !isSame, hasAny { return "Set-Cookie for a credential (§7.3)" }
        if !cause.fields.values("cookie").isEmpty, !isStated, !isSame { return "guessed lifetime for a Cookie" }
        let isAuthorized = Self.authorizing.contains { !cause.fields.values($0).isEmpty }
        let isForAll = says("public") || says("must-revalidate") || says("s-maxage")
        return isAuthorized && !isForAll && !isAlike ? "Authorization (§3.5)" : nil
    }

    private static func directives(of request: ReferenceCache.Request) -> [(name: String, argument: String?)] {
        ReferenceSyntax.directives(request.fields.combined("cache-control"))
    }

    private static let authorizing = ["authorization", "x-api-key"]
    private static let credentials = authorizing + ["cookie"]
    /// RFC 9110 §15.1.
    private static let heuristically = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]
    private static let understood = [200, 203, 204, 206, 302, 404, 410, 500, 503, 504]

    // MARK: §3.3 Parts

    /// Why the request is not answered by what is held of the whole, fresh or not.
    func partObjection() -> String? {
        guard version.status == 206 else { return nil }
        guard let part = version.part, part.count == version.content.count else {
            return "not known what it holds (§3.3)"
        }
        if version.isAll { return nil }
        guard request.method == "GET", request.fields.values("range").count == 1 else {
            return "a part for the whole (§3.3)"
        }
        let ranges = request.fields.first("range")
        if let tag = request.fields.first("if-range"),
            tag != version.fields.first("etag") || !ReferenceSyntax.isStrong(tag)
        {
            return "If-Range asks for the whole (RFC 9110 §13.1.5)"
        }
        if version.total == nil, ReferenceSyntax.leansOnLength(ranges) { return "the length is not known (§3.3)" }
        let wanted = ReferenceSyntax.ranges(ranges, length: version.total ?? 1_000_000) ?? []
        let isInside = wanted.allSatisfy { $0.lowerBound >= part.lowerBound && $0.upperBound <= part.upperBound }
        return !wanted.isEmpty && isInside ? nil : "bytes that it does not hold (§3.3)"
    }

    // MARK: §4.1 Selection

    func selectionObjection() -> String? {
        let names = version.fields.values("vary").flatMap { $0.split(separator: ",") }
            .map { ReferenceSyntax.trimmed($0).lowercased() }.filter { !$0.isEmpty }
        if names.contains("*") { return "Vary: * (§4.1)" }
        // What a 304 said of one request holds for those that equal it, too.
        let causes = [version.original] + version.requests.suffix(1)
        let isSelected = causes.contains { cause in
            names.allSatisfy { meaning(of: $0, in: cause.fields) == meaning(of: $0, in: request.fields) }
        }
        return isSelected ? nil : "Vary: \(names.joined(separator: ", ")) (§4.1)"
    }

    /// What a field says, whatever the blanks, the lines and, where it has weights, the order among equals.
    private func meaning(of name: String, in fields: ReferenceFields) -> [String]? {
        guard let list = fields.combined(name) else { return nil }
        let members = ReferenceSyntax.members(list)
        guard name == "accept-language" else { return members }
        return members.map { $0.lowercased().filter { $0 != " " } }.sorted()
    }

    // MARK: §4.2 Freshness

    private var isStated: Bool { says("s-maxage") || says("max-age") || version.fields.first("expires") != nil }

    private var date: Int { ReferenceSyntax.time(version.fields.first("date")) ?? version.responseTime }

    /// §4.2.1, §4.2.2.
    private var lifetime: Int {
        if let seconds = seconds("s-maxage") ?? seconds("max-age") { return seconds }
        if let expires = version.fields.first("expires") {
            guard let time = ReferenceSyntax.time(expires) else { return 0 }
            return max(0, time - date)
        }
        guard let modified = ReferenceSyntax.time(version.fields.first("last-modified")) else { return 0 }
        guard says("public") || Self.heuristically.contains(version.status) else { return 0 }
        return min(86400, max(0, date - modified) / 10)
    }

    /// §5.1: a list has one member here, the first.
    static func ageValue(_ fields: ReferenceFields) -> Int {
        let first = fields.first("age")?.split(separator: ",", omittingEmptySubsequences: false).first
        return first.flatMap { ReferenceSyntax.seconds(ReferenceSyntax.trimmed($0)) } ?? 0
    }

    /// What speaks against use without validation while the origin can be asked.
    func freshnessObjection() -> String? {
        if says(unqualified: "no-cache") { return "no-cache (§5.2.2.4)" }
        if wishes("no-cache") { return "request no-cache (§5.2.1.4)" }
        if wishes.isEmpty, request.fields.first("cache-control") == nil, request.fields.first("pragma") == "no-cache" {
            return "Pragma: no-cache (§5.4)"
        }
        let isFresh = lifetime > age
        let isExempt = isFresh && says("immutable")
        if let limit = wish("max-age"), age > limit, !isExempt { return "request max-age (§5.2.1.1)" }
        if let rest = wish("min-fresh"), lifetime - age < rest { return "request min-fresh (§5.2.1.3)" }
        if isFresh { return nil }
        let staleness = age - lifetime
        let objection = "stale by \(staleness), lifetime \(lifetime) (§4.2)"
        if says("must-revalidate") || says("proxy-revalidate") { return objection + " and to be validated (§5.2.2.2)" }
        if let window = seconds("stale-while-revalidate"), staleness < window { return nil }
        if says("s-maxage") { return objection + " and s-maxage (§5.2.2.10)" }
        guard wishes("max-stale") else { return objection }
        guard let bound = wishes.first(where: { $0.name == "max-stale" })?.argument else { return nil }
        return staleness <= ReferenceSyntax.seconds(bound) ?? -1 ? nil : objection + " beyond max-stale"
    }

    /// §4.2.4 and RFC 5861 §4: whether it may be used because the origin failed.
    func mayStandIn(for status: Int?) -> Bool {
        if says(unqualified: "no-cache") || wishes("no-cache") { return false }
        let staleness = age - lifetime
        if staleness >= 0, says("must-revalidate") || says("proxy-revalidate") { return false }
        if let window = seconds("stale-if-error"), staleness < window { return status.map(Self.isError) ?? true }
        if staleness >= 0, says("s-maxage") { return false }
        guard let status else { return true }
        guard Self.isError(status), let window = wish("stale-if-error") else { return false }
        return staleness < window
    }

    private static func isError(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

    // MARK: Sharing

    func sharingObjection() -> String? {
        // What was completed came to who asked for the rest.
        let cause = version.isCompleted ? version.requests.last ?? version.original : version.original
        if cause.path != request.path { return "another URI" }
        if cause.method != "GET" || request.method != "GET" { return "not both GET" }
        if version.status == 206 { return "a part" }
        if wishes("no-store") || Self.directives(of: cause).contains(where: { $0.name == "no-store" }) {
            return "request no-store"
        }
        for name in ["no-store", "no-cache", "private"] where says(name) { return name }
        if !version.fields.values("set-cookie").isEmpty { return "Set-Cookie" }
        let isForAll = says("public") || says("must-revalidate") || says("s-maxage")
        let isSame = Self.authorizing.allSatisfy { cause.fields.values($0) == request.fields.values($0) }
        let isAuthorized = Self.authorizing.contains { !cause.fields.values($0).isEmpty }
        return isAuthorized && !isForAll && !isSame ? "Authorization" : nil
    }
}
