public import HTTPCore
public import JSON
import Settings

/// A stored response, and a request that it answers, as an entry of a HAR file.
public struct ArchivedEntry: Sendable, Equatable {
    public var entry: CassetteEntry
    /// Whether it is for the clients of one credential.
    public var isPrivate: Bool
    /// Whether the entry lists cookies of the request: it then had a credential, even if no field shows it.
    public private(set) var hasCookies = false

    public init(_ entry: CassetteEntry, isPrivate: Bool) {
        self.entry = entry
        self.isPrivate = isPrivate
    }

    /// Reads an entry of a HAR file.
    ///
    /// - Parameter isForeign: whether another tool has written the file; such a tool removes content codings.
    public init(_ cursor: JSONCursor, isForeign: Bool) throws(JSONError) {
        let request = try cursor.requiredMember("request")
        let response = try cursor.requiredMember("response")
        entry = try CassetteEntry(cursor, isForeign: isForeign)
        isPrivate = cursor.member("_respite")?.member("private")?.value == .boolean(true)
        hasCookies = try request.member("cookies")?.elements().isEmpty == false
        guard entry.response.content.isEmpty, Self.hasUnknownContent(response) else { return }
        throw (response.member("content") ?? response).error("has no text: the tool has not recorded the content")
    }

    /// Whether there was content, or may have been.
    private static func hasUnknownContent(_ response: JSONCursor) -> Bool {
        let content = response.member("content")
        if content?.member("text") != nil { return false }
        let size = content?.member("size") ?? response.member("bodySize")
        if case .integer(204)? = response.member("status")?.value { return false }
        return size?.value != .integer(0)
    }

    /// The entry for a file.
    public var json: JSONValue {
        entry.json(own: isPrivate ? [("private", .boolean(true))] : [])
    }

    // MARK: Times

    /// When the response came; nil if the entry does not say.
    public var received: HTTPDate? {
        guard let started = ArchiveTime.date(entry.started) else { return nil }
        let (seconds, isTooFar) = started.seconds.addingReportingOverflow(delay)
        return isTooFar ? nil : HTTPDate(seconds: seconds)
    }

    /// Whole seconds from the request to the response.
    public var delay: Int64 { Int64((min(entry.waited, 1e9) / 1000).rounded(.up)) }
}
