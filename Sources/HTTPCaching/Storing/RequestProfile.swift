public import HTTPCore

/// What caching decisions need to know of a request.
public struct RequestProfile: Sendable {
    public var method: Method
    public var directives: RequestDirectives
    public var credentials: CredentialPresence
    /// `Accept` names `text/event-stream`, or Upgrade is asked for: a stream of its own.
    public var wantsOwnStream: Bool

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

    public init(method: Method, fields: Fields, options: CachingOptions) {
        self.method = method
        directives = RequestDirectives(fields)
        credentials = options.credentials.presence(in: fields)
        wantsOwnStream = fields.contains(.upgrade) || Self.acceptsEventStream(fields)
    }

    /// Requests that never follow another's load (C-23.0).
    public var mayJoin: Bool {
        method == .get && !directives.noStore && !directives.hasRange && !wantsOwnStream
    }

    private static func acceptsEventStream(_ fields: Fields) -> Bool {
        fields.withValue(of: .accept) { text in
            guard text.count >= eventStream.count else { return false }
            return (0...(text.count - eventStream.count)).contains { start in
                eventStream.indices.allSatisfy { text[start + $0].asciiLowercased == eventStream[$0] }
            }
        } ?? false
    }

    private static let eventStream = Array("text/event-stream".utf8)
}
