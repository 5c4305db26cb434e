import Configurations
import Formats
public import HTTPCore

/// A named service, without anything that is secret.
public struct ServiceFacts: Sendable {
    public var name: String
    public var base: TargetURI
    /// The names of the fields that its requests get; never their values.
    public var addedFields: [String]
    /// Whether its requests get a token or present a certificate.
    public var hasCredential: Bool
    /// Whether requests below its base get that on every route.
    public var isEverywhere: Bool
    /// Origins of web pages that may use it.
    public var allowedOrigins: [String]

    public init(
        name: String,
        base: TargetURI,
        addedFields: [String] = [],
        hasCredential: Bool = false,
        isEverywhere: Bool = false,
        allowedOrigins: [String] = []
    ) {
        self.name = name
        self.base = base
        self.addedFields = addedFields
        self.hasCredential = hasCredential
        self.isEverywhere = isEverywhere
        self.allowedOrigins = allowedOrigins
    }
}

/// `/v1/services`: the named services, how clients name them, and how they use the network.
struct ServiceDocument {
    private let services: [ServiceFacts]
    private let modes: ModeSource?

    init(_ services: [ServiceFacts], _ modes: ModeSource?) {
        self.services = services
        self.modes = modes
    }

    func write(to writer: inout JSONWriter) {
        let own = modes?.services() ?? []
        writer.memberArray("services") { writer in
            for service in services {
                let mode = own.first { $0.name == service.name }?.mode ?? modes?.general()
                writer.object { Self.write(service, mode, to: &$0) }
            }
        }
    }

    private static func write(_ service: ServiceFacts, _ mode: ServiceMode?, to writer: inout JSONWriter) {
        writer.member("name", service.name)
        writer.member("base", bytes: service.base.bytes)
        writer.member("path", "/\(service.name)/")
        writer.member("host", "\(service.name).localhost")
        if let mode { writer.member("mode", mode.rawValue) }
        write(service.addedFields, as: "addedFields", to: &writer)
        writer.member("hasCredential", service.hasCredential)
        writer.member("isEverywhere", service.isEverywhere)
        write(service.allowedOrigins, as: "allowedOrigins", to: &writer)
    }

    private static func write(_ texts: [String], as name: String, to writer: inout JSONWriter) {
        writer.memberArray(name) { writer in for text in texts { writer.text(text) } }
    }
}
