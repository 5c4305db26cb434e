/// One recorded exchange.
public struct CassetteEntry: Sendable, Equatable {
    /// When the request began, in the format of RFC 3339.
    public var started: String
    /// From the request's begin to the response's head, in milliseconds.
    public var waited: Double
    /// From the head to the end of the response, in milliseconds.
    public var received: Double
    public var request: CassetteRequest
    public var response: CassetteResponse

    public init(
        started: String,
        waited: Double = 0,
        received: Double = 0,
        request: CassetteRequest,
        response: CassetteResponse
    ) {
        self.started = started
        self.waited = waited
        self.received = received
        self.request = request
        self.response = response
    }
}

/// A field line of a recorded message.
public struct CassetteField: Sendable, Equatable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the field has this name, which is in lower case.
    func isNamed(_ lowered: String) -> Bool { name.utf8.count == lowered.utf8.count && name.lowercased() == lowered }
}

extension [CassetteField] {
    /// The value of the first field of this name, which is in lower case; nil if there is none.
    public func value(of lowered: String) -> String? { first { $0.isNamed(lowered) }?.value }
}
