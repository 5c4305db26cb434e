// Nothing is imported here: a reading of RFC 9111 that shares no code with what it judges.

/// What RFC 9111 forbids a shared cache, found by trying out every explanation of an answer.
///
/// It keeps all responses an origin ever gave, in every state 304s may have brought them to. An answer is allowed if
/// one of these states explains it. With the extensions that the cache has: RFC 5861, RFC 8246, a private cache for
/// each credential, and answers shared by requests that were there before the head.
struct ReferenceCache {
    struct Request {
        var number: Int
        var method: String
        var path: String
        var fields: ReferenceFields
        /// Seconds on the wall clock, and the place in the order of events.
        var time: Int
        var order: Int
    }

    /// A response as it stands after none or some validations.
    struct Version {
        /// Of the response that brought the content.
        var number: Int
        /// Of the last 304.
        var update: Int?
        var status: Int
        var fields: ReferenceFields
        /// The bytes it brought.
        var content: [UInt8]
        /// Which bytes of the whole these are, as a 206 says; nil for all.
        var part: Range<Int>?
        /// The length of the whole, as far as a part tells.
        var total: Int?
        /// Made of a part and the rest, which has the number.
        var isCompleted = false
        /// That caused it, and those that caused the validations.
        var requests: [Request]
        var requestTime: Int
        var responseTime: Int
        var order: Int

        /// Whose content it is.
        var original: Request { requests[0] }
        /// A 206 with everything.
        var isAll: Bool { part.map { $0.lowerBound == 0 && $0.upperBound == total } ?? true }

        /// Why these bytes are not its content.
        func objection(to bytes: [UInt8], at place: Range<Int>?) -> String? {
            if place == nil, !isAll { return "a part as the whole (§3.3)" }
            if let place, place != part { return "another part" }
            return content == bytes ? nil : "bytes that are not of the response"
        }
    }

    /// How an exchange failed: the status of a complete error, or nil for the network.
    struct Failure {
        var path: String
        var status: Int?
        var time: Int
    }

    private(set) var versions: [Version] = []
    private var invalidations: [(path: String, order: Int)] = []
    private var failures: [Failure] = []
    /// Seconds a failure is remembered.
    let retryTime = 1

    // MARK: What happens

    /// A final response other than 304.
    mutating func receive(
        _ number: Int,
        _ status: Int,
        _ fields: ReferenceFields,
        _ content: [UInt8],
        to request: Request,
        asking range: String?,
        sentAt: Int,
        at time: Int,
        order: Int
    ) {
        if status >= 500 { failures.append(Failure(path: request.path, status: status, time: time)) }
        var fields = fields
        if fields.first("date") == nil { fields.lines.append(("Date", ReferenceSyntax.date(time))) }
        let place = status == 206 ? ReferenceSyntax.contentRange(fields.first("content-range")) : nil
        let version = Version(
            number: number,
            update: nil,
            status: status,
            fields: fields,
            content: content,
            part: place?.range,
            total: place?.total,
            requests: [request],
            requestTime: sentAt,
            responseTime: time,
            order: order
        )
        versions.append(version)
        if range != nil, request.fields.first("range") == nil { complete(with: version) }
    }

    /// §3.4: a part that follows a stored one under the same strong tag, and is the rest, makes the whole.
    private mutating func complete(with rest: Version) {
        guard let place = rest.part, place.upperBound == rest.total, place.count == rest.content.count,
            let tag = rest.fields.first("etag"), ReferenceSyntax.isStrong(tag)
        else { return }
        for version in versions where version.original.path == rest.original.path {
            guard let part = version.part, part.lowerBound == 0, part.upperBound == place.lowerBound,
                part.count == version.content.count, version.fields.first("etag") == tag,
                version.total == nil || version.total == rest.total
            else { continue }
            var whole = version
            whole.number = rest.number
            whole.status = 200
            whole.content += rest.content
            whole.part = nil
            whole.isCompleted = true
            whole.requests += rest.requests
            whole.requestTime = rest.requestTime
            whole.responseTime = rest.responseTime
            whole.order = rest.order
            whole.fields = Self.updated(version.fields, by: rest.fields, at: rest.responseTime)
            versions.append(whole)
        }
    }

    /// §3.2: every field received replaces those stored; an Age of before is over (§4.2.3).
    private static func updated(
        _ stored: ReferenceFields,
        by received: ReferenceFields,
        at time: Int
    ) -> ReferenceFields {
        var fields = stored
        for name in Set(received.lines.map { $0.name.lowercased() }).union(["age"]) { fields.remove(name) }
        if received.first("date") == nil {
            fields.remove("date")
            fields.lines.append(("Date", ReferenceSyntax.date(time)))
        }
        fields.lines += received.lines
        return fields
    }

    /// A 304 (RFC 9111 §4.3.4): each state whose validator was sent, and that it may be about, gets a successor.
    mutating func receiveNotModified(
        _ update: Int,
        _ fields: ReferenceFields,
        sent: ReferenceFields,
        to request: Request,
        sentAt: Int,
        at time: Int,
        order: Int
    ) {
        let tags = ReferenceSyntax.tags(sent.combined("if-none-match"))
        for version in versions where version.original.path == request.path {
            guard isOffered(version, tags, sent), isSelected(version, by: fields, among: tags.count) else { continue }
            var next = version
            next.update = update
            next.requests.append(request)
            next.requestTime = sentAt
            next.responseTime = time
            next.order = order
            next.fields = Self.updated(version.fields, by: fields, at: time)
            versions.append(next)
        }
    }

    private func isOffered(_ version: Version, _ tags: [String], _ sent: ReferenceFields) -> Bool {
        if let tag = version.fields.first("etag") { return tags.contains(tag) }
        guard tags.isEmpty, let date = version.fields.first("last-modified") else { return false }
        return sent.first("if-modified-since") == date
    }

    private func isSelected(_ version: Version, by received: ReferenceFields, among offers: Int) -> Bool {
        if let tag = received.first("etag") {
            guard let held = version.fields.first("etag") else { return false }
            return tag.hasPrefix("W/") ? ReferenceSyntax.matchWeakly(tag, held) : tag == held
        }
        if let date = received.first("last-modified") { return version.fields.first("last-modified") == date }
        return offers <= 1
    }

    mutating func fail(_ request: Request, at time: Int) {
        failures.append(Failure(path: request.path, status: nil, time: time))
    }

    /// A request with side effects succeeded (RFC 9111 §4.4).
    mutating func invalidate(_ path: String, order: Int) { invalidations.append((path, order)) }

    // MARK: What is allowed

    /// Why `request` may not get the content of response `number`, as 304 `update` left it; nil if it may.
    ///
    /// - Parameters:
    ///   - fields: what it gets; nil: not to be compared.
    ///   - age: the Age it gets; nil: not to be compared.
    ///   - content: the bytes it may take from, and which of the whole they are, nil for all; nil: not to be
    ///     compared.
    func objection(
        to request: Request,
        getting number: Int,
        _ update: Int?,
        fields: ReferenceFields?,
        age: Int?,
        content: (bytes: [UInt8], part: Range<Int>?)?,
        at time: Int
    ) -> String? {
        let candidates = versions.filter { $0.number == number && $0.update == update }
        if candidates.isEmpty { return "no response \(number) was ever updated by \(update ?? 0)" }
        var objections: [String] = []
        for version in candidates {
            let objection =
                content.flatMap { version.objection(to: $0.bytes, at: $0.part) }
                ?? objection(to: request, version, fields, age, time)
            guard let objection else { return nil }
            objections.append(objection)
        }
        return objections.joined(separator: "; ")
    }

    private func objection(
        to request: Request,
        _ version: Version,
        _ fields: ReferenceFields?,
        _ received: Int?,
        _ time: Int
    ) -> String? {
        for name in ["cache-control", "expires", "etag", "last-modified", "vary", "date"] {
            guard let fields, fields.values(name) != version.fields.values(name) else { continue }
            return "\(name) is not the one of the response"
        }
        // §5.1: Age is the current age.
        let age = age(version, time)
        if let received, received != age { return "Age is \(received), not \(age)" }
        if let objection = ReferenceReuse(version: version, request: request, age: age).partObjection() {
            return objection
        }
        if version.requests.last?.number == request.number, version.order > request.order { return nil }
        return ReferenceReuse(version: version, request: request, age: age).storageObjection()
            ?? reuseObjection(version, request, age, time)
    }

    private func reuseObjection(_ version: Version, _ request: Request, _ age: Int, _ time: Int) -> String? {
        let reuse = ReferenceReuse(version: version, request: request, age: age)
        if let objection = reuse.selectionObjection() { return objection }
        // §4: stored responses that are validated on behalf of the request, or of one it waited with, may be used.
        if version.update != nil, version.order > request.order { return nil }
        if invalidations.contains(where: { $0.path == version.original.path && $0.order > version.order }) {
            return "invalidated (§4.4)"
        }
        guard let objection = reuse.freshnessObjection() else { return nil }
        let recent = failures.filter { $0.path == request.path && time - $0.time <= retryTime }
        return recent.contains { reuse.mayStandIn(for: $0.status) } ? nil : objection
    }

    /// The bytes that a follower of response `number` may get: of the part itself, or of the whole.
    func contents(_ number: Int, isPart: Bool) -> [[UInt8]] {
        versions.filter { $0.number == number && ($0.status == 206) == isPart }.map(\.content)
    }

    /// Whether response `number` is what `request` itself brought.
    func isOwn(_ number: Int, of request: Request) -> Bool {
        versions.contains { $0.number == number && $0.original.number == request.number }
    }

    /// Whether `request`, if it was there before the head of response `number`, may share it.
    ///
    /// Not in RFC 9111: without reuse being allowed, sharing is for what bears no sign of being one client's.
    func mayShare(_ number: Int, _ request: Request) -> Bool {
        versions.contains { version in
            guard version.number == number, version.update == nil || version.isCompleted else { return false }
            let reuse = ReferenceReuse(version: version, request: request, age: 0)
            return request.order < version.order && reuse.sharingObjection() == nil && reuse.selectionObjection() == nil
        }
    }

    /// §4.2.3, line by line.
    func age(_ version: Version, _ now: Int) -> Int {
        let dateValue = ReferenceSyntax.time(version.fields.first("date")) ?? version.responseTime
        let ageValue = ReferenceReuse.ageValue(version.fields)
        let apparentAge = max(0, version.responseTime - dateValue)
        let responseDelay = version.responseTime - version.requestTime
        let correctedAgeValue = ageValue + responseDelay
        let correctedInitialAge = max(apparentAge, correctedAgeValue)
        let residentTime = now - version.responseTime
        return min(2_147_483_648, correctedInitialAge + residentTime)
    }
}
