public import HTTPCore

/// The properties of a request that caching decisions depend on.
public struct RequestProfile: Sendable {
    public var method: Method
    public var directives: RequestDirectives
    public var credentials: CredentialPresence
    /// Whether `Accept` names `text/event-stream`: the client wants a stream of its own.
    public var wantsOwnStream: Bool
    /// Whether the client asks for an upgrade; if we do not pass that on, the response is an ordinary one (H-077).
    public var wantsUpgrade = false
    /// Whether many clients share the credentials, such as those that a service adds: stored responses are then not
    /// personal.
    public var sharesCredentials = false
    /// Whether it came by a route on which we stand for the origin: a reverse proxy or a named service.
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

    /// - Parameter credentialFields: the fields that carry credentials.
    public init(method: Method, fields: borrowing Fields, credentialFields: borrowing CredentialFields) {
        self.method = method
        directives = RequestDirectives(fields)
        credentials = credentialFields.presence(in: fields)
        wantsOwnStream = Self.acceptsEventStream(fields)
        wantsUpgrade = fields.contains(.upgrade)
    }

    /// Whether the request may follow the load of another one (C-23.0).
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
