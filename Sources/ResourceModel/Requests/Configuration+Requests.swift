public import ResourceCore

/// Changes a request before it is made.
public typealias RequestMutation = @Sendable (inout HTTPRequest) -> Void

/// Replaces a request that is not started, or leaves it.
public typealias RequestDecorator = @Sendable (Resource, Request) -> Request

/// What is configured of the requests of programs.
struct RequestConfiguration: Sendable, ConfigurationKey {
    static let defaultValue = RequestConfiguration()

    var headers: [String: String] = [:]
    var progressReportingInterval = Duration.milliseconds(50)
    var mutators: [RequestMutation] = []
    var decorators: [RequestDecorator] = []

    /// Names of fields, not their values: those may be credentials.
    static func descriptions(of value: RequestConfiguration) -> [String] {
        var parts: [String] = []
        if !value.headers.isEmpty { parts.append("headers \(value.headers.keys.sorted().joined(separator: ", "))") }
        if !value.mutators.isEmpty { parts.append("\(value.mutators.count) mutations") }
        if !value.decorators.isEmpty { parts.append("\(value.decorators.count) decorators") }
        return parts
    }
}

/// Requests of programs.
extension Configuration {
    private var requests: RequestConfiguration {
        get { self[RequestConfiguration.self] }
        set { self[RequestConfiguration.self] = newValue }
    }

    /// Fields set on every request for which this is configured by the method asked for (S-050); of names that differ in
    /// case only the one in lower case counts.
    public var headers: [String: String] {
        get { requests.headers }
        set { requests.headers = newValue }
    }

    /// How often hooks and observers are told of progress (S-221).
    public var progressReportingInterval: Duration {
        get { requests.progressReportingInterval }
        set { requests.progressReportingInterval = newValue }
    }

    var mutators: [RequestMutation] { requests.mutators }
    var decorators: [RequestDecorator] { requests.decorators }

    /// Has `mutation` change every request, before it is made and again for each repetition, behind the configured fields,
    /// the caller's own mutation, and the mutations added before (S-051).
    public mutating func mutateRequests(with mutation: @escaping RequestMutation) {
        requests.mutators.append(mutation)
    }

    /// Has `decorator` look at every request between its making and its start, behind the decorators added before (S-053).
    ///
    /// It gets the resource and the request, or what the decorator before made of it, and returns that or another one: the
    /// caller sees only the last. A request that nobody returns or passes on to is not started (S-054).
    public mutating func decorateRequests(with decorator: @escaping RequestDecorator) {
        requests.decorators.append(decorator)
    }
}
