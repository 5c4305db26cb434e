import HTTPCore

/// The named services of a listener, and how requests name them.
struct ServiceDirectory: Sendable {
    let services: [NamedService]
    /// Whether a service adds its fields to every request below its base.
    private let hasInjectorEverywhere: Bool

    init(_ routes: [ServiceRoute]) {
        services = routes.map { NamedService($0) }
        hasInjectorEverywhere = services.contains { $0.injects && $0.route.injectsEverywhere }
    }

    var isEmpty: Bool { services.isEmpty }

    /// The names, for messages.
    var names: String {
        services.isEmpty ? "none is configured" : "there are " + services.map(\.route.name).joined(separator: ", ")
    }

    /// The service whose fields a request for `uri` gets on any route.
    func injector(of uri: Span<UInt8>) -> NamedService? {
        // A URI belongs to the service with the longest base, even if that one injects nothing.
        guard hasInjectorEverywhere else { return nil }
        var longest: NamedService?
        for service in services where service.prefix.count > longest?.prefix.count ?? 0 && service.contains(uri) {
            longest = service
        }
        return longest.flatMap { $0.injects && $0.route.injectsEverywhere ? $0 : nil }
    }

    // MARK: What requests name

    /// What a `Host` names.
    enum HostName {
        /// No name below `localhost`.
        case other
        case unknown
        case service(NamedService)
    }

    /// The service that a request's host names; allocates nothing.
    func host(of head: RequestHead) -> HostName {
        let bytes = head.fields.bytes.span
        let host = head.parts.host
        let suffix: StaticString = ".localhost"
        let count = suffix.utf8CodeUnitCount
        guard host.count > count,
            Token.matches(bytes.extracting(host.upperBound - count..<host.upperBound), suffix)
        else { return .other }
        let label = bytes.extracting(host.lowerBound..<host.upperBound - count)
        for service in services where Self.equal(service.name, label) { return .service(service) }
        return .unknown
    }

    /// Whether no service has the request's host.
    func mayBePrefixed(_ head: RequestHead) -> Bool {
        guard !isEmpty, case .service = host(of: head) else { return true }
        return false
    }

    /// The service that the path's first segment names, and the range of the rest of the target; allocates nothing.
    func path(of head: RequestHead) -> (service: NamedService, rest: Range<Int>)? {
        guard !services.isEmpty else { return nil }
        let bytes = head.fields.bytes.span
        let path = head.parts.path
        guard !path.isEmpty else { return nil }
        let start = path.lowerBound + 1
        var end = start
        while end < path.upperBound, bytes[end] != 0x2F, bytes[end] != 0x3F { end += 1 }
        let segment = bytes.extracting(start..<end)
        for service in services where Self.equal(service.name, segment) { return (service, end..<path.upperBound) }
        return nil
    }

    /// Whether `text` equals a lower-case name, ignoring case.
    private static func equal(_ name: [UInt8], _ text: Span<UInt8>) -> Bool {
        guard name.count == text.count else { return false }
        for index in name.indices where name[index] != text[index].asciiLowercased { return false }
        return true
    }
}
