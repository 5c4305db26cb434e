import Cassettes
import Explaining
import HTTPCaching
import HTTPCore
import ResourceCore
import Settings

/// An entry of a HAR file as a response to GET that the origin might have sent.
struct ImportedEntry: Sendable {
    let uri: TargetURI
    /// The request's fields without credentials, conditions and wishes of its client.
    let requestFields: Fields
    let status: UInt16
    let reason: [UInt8]
    /// With Date, and with the Age that the response has now.
    let fields: Fields
    let content: [UInt8]
    private let profile: RequestProfile

    /// Why an entry is not imported: a word, and a sentence for people.
    struct Obstacle: Error {
        let word: String
        let sentence: String

        init(_ word: String, _ sentence: String) { (self.word, self.sentence) = (word, sentence) }
    }

    /// - Parameter credentials: the fields that are credentials.
    init(_ archived: ArchivedEntry, _ credentials: CredentialFields, now: HTTPDate) throws(Obstacle) {
        let (request, response) = (archived.entry.request, archived.entry.response)
        guard request.method == "GET", request.content.isEmpty else {
            throw Obstacle("method", "only responses to GET without content are imported")
        }
        guard !archived.isPrivate else { throw Obstacle("private", "it is for the clients of one credential") }
        let target = request.url.prefix { $0 != "#" }
        guard let uri = try? TargetURI(parsing: String(target)) else {
            throw Obstacle("url", "its URL is no http or https URL")
        }
        guard let received = archived.received else {
            throw Obstacle("time", "`startedDateTime` is no time such as 2026-01-31T12:00:00Z")
        }
        self.uri = uri
        content = response.content
        status = response.status
        reason = response.reason.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: " ") : $0 }
        var asked = Fields(request.fields)
        if archived.hasCookies, !asked.contains(.cookie) { asked.append(.cookie, "…") }
        profile = RequestProfile(method: .get, fields: asked, credentialFields: credentials)
        requestFields = Self.selecting(asked, credentials)
        fields = Self.aged(StoredFields.storing(Fields(response.fields)), archived, received, now)
    }

    private static func selecting(_ fields: Fields, _ credentials: CredentialFields) -> Fields {
        var fields = fields
        HopByHop.strip(request: &fields)
        let others: Set<KnownField> = [
            .cacheControl, .pragma, .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
            .cookie, .authorization, .proxyAuthorization,
        ]
        let names = fields.lines.map { fields.name(of: $0).map(\.asciiLowercased) }
        for name in names where credentials.contains(name) { fields.remove(named: name) }
        for field in others { fields.remove(field) }
        return fields
    }

    /// The fields with which a cache would pass the response on now (RFC 9111 §4.2.3).
    private static func aged(
        _ fields: Fields,
        _ archived: ArchivedEntry,
        _ received: HTTPDate,
        _ now: HTTPDate
    ) -> Fields {
        var fields = fields
        if !fields.contains(.date) { fields.append(.date, received.bytes) }
        let before = fields.text(of: .age).flatMap { Int64($0) } ?? 0
        let since = max(0, now.seconds.subtractingReportingOverflow(received.seconds).partialValue)
        let age = min(max(0, before), DeltaSeconds.limit) + archived.delay + min(since, DeltaSeconds.limit)
        fields.remove(.age)
        fields.append(.age, "\(min(age, DeltaSeconds.limit))")
        fields.remove(.contentLength)
        return fields
    }

    // MARK: Judging

    /// Throws unless a shared cache stores it for all clients, as judged by what its request was.
    ///
    /// - Returns: its age now, in seconds.
    func requireStorable(_ options: CachingOptions, now: HTTPDate) throws(Obstacle) -> Int64 {
        let metadata = ResponseMetadata(
            status: status,
            fields: fields,
            requestTime: now,
            responseTime: now,
            options: options
        )
        switch metadata.storability(for: profile, options: options) {
        case .refuse(let reason): throw Obstacle(reason.rawValue, reason.note.sentence)
        case .store(.shared, _): return metadata.ageAtReceiptSeconds
        case .store(_, let reason): throw Obstacle(reason.rawValue, "it is for the client of its request alone")
        }
    }

    /// The head of the response.
    var head: ResponseHead {
        var head = ResponseHead(status: status, fields: fields)
        head.reason = reason
        guard status != 204 else { return head }
        head.framing = .length(Int64(content.count))
        head.contentLength = Int64(content.count)
        return head
    }
}

extension Fields {
    fileprivate init(_ recorded: [CassetteField]) {
        self.init()
        for field in recorded { append(name: field.name, value: field.value) }
    }
}
