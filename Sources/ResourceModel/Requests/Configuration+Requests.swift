public import Configurations
public import ResourceCore

/// Changes a request before it is made.
public typealias RequestMutation = @Sendable (inout HTTPRequest) -> Void

/// Replaces a request that is not started, or returns it.
public typealias RequestDecorator = @Sendable (Resource, Request) -> Request

/// The configuration of a program's requests.
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

/// Configures a program's requests.
extension Configuration {
    private var requests: RequestConfiguration {
        get { self[RequestConfiguration.self] }
        set { self[RequestConfiguration.self] = newValue }
    }

    /// Fields for every request with this configuration, found by the method that was asked for (S-050).
    ///
    /// Of names that differ only in case, only the lower-case one counts.
    public var headers: [String: String] {
        get { requests.headers }
        set { requests.headers = newValue }
    }

    /// How often hooks and observers are notified of progress (S-221).
    public var progressReportingInterval: Duration {
        get { requests.progressReportingInterval }
        set { requests.progressReportingInterval = newValue }
    }

    var mutators: [RequestMutation] { requests.mutators }
    var decorators: [RequestDecorator] { requests.decorators }

    /// Adds a change of every request, before it is made and again for each repetition (S-051).
    ///
    /// It runs after the configured fields, the caller's own mutation, and the mutations added before.
    public mutating func mutateRequests(with mutation: @escaping RequestMutation) {
        requests.mutators.append(mutation)
    }

    /// Adds a decorator, which gets every request before its start, after the decorators added before (S-053).
    ///
    /// It gets the resource, and the request as the decorator before returned it. It returns that request or another
    /// one; the caller sees only the last one. A request that no decorator returns or passes on is not started (S-054).
    public mutating func decorateRequests(with decorator: @escaping RequestDecorator) {
        requests.decorators.append(decorator)
    }
}
