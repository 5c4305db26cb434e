public import HTTPCore

/// What caching decisions need to know of a request.
public struct RequestProfile: Sendable {
    public var method: Method
    public var directives: RequestDirectives
    public var credentials: CredentialPresence
    /// `Accept` names `text/event-stream`: a stream of its own.
    public var wantsOwnStream: Bool
    /// Upgrade is asked for; where we do not pass it on the answer is an ordinary one (H-077).
    public var wantsUpgrade = false
    /// The credentials are many clients' at once, as those a service puts in: what is stored for them is not one person's.
    public var sharesCredentials = false
    /// It came by a route on which we stand for the origin, a reverse proxy's or a named service's.
    public var isForOrigin = false

    public init(
        method: Method,
        directives: RequestDirectives = RequestDirectives(),
        credentials: CredentialPresence = [],
        wantsOwnStream: Bool = false
    ) {
        self.method = method
        self.directives = directives
        self.credentials = credentials
        self.wantsOwnStream = wantsOwnStream
    }

    /// - Parameter credentialFields: what carries credentials besides Authorization and Cookie.
    public init(method: Method, fields: borrowing Fields, credentialFields: borrowing CredentialFields) {
        self.method = method
        directives = RequestDirectives(fields)
        credentials = credentialFields.presence(in: fields)
        wantsOwnStream = Self.acceptsEventStream(fields)
        wantsUpgrade = fields.contains(.upgrade)
    }

    /// Requests that never follow another's load (C-23.0).
    public var mayJoin: Bool {
        method == .get && !directives.noStore && !directives.hasRange && !wantsOwnStream && !wantsUpgrade
    }

    private static func acceptsEventStream(_ fields: Fields) -> Bool {
        fields.withValue(of: .accept) { names("text/event-stream", in: $0) } ?? false
    }

    /// Whether a member of the list is this media type, with or without parameters.
    private static func names(_ type: StaticString, in list: Span<UInt8>) -> Bool {
        guard list.count >= type.utf8CodeUnitCount else { return false }
        var position = 0
        while let member = ListMembers.next(in: list, from: &position) {
            guard member.count >= type.utf8CodeUnitCount else { continue }
            let end = member.lowerBound + type.utf8CodeUnitCount
            let isWhole = end == member.upperBound || list[end] == 0x3B || list[end].isBlank
            if isWhole, Token.matches(list.extracting(member.lowerBound..<end), type) { return true }
        }
        return false
    }
}
