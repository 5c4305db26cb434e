public import HTTPCaching
import HTTPCore
public import ResourceCore
public import Stores

/// What services add to requests below their bases, on every route.
///
/// For callers that explain what a request would get.
public struct ServiceInjection: Sendable {
    private let services: ServiceDirectory
    private let credentialFields: CredentialFields
    private let gateway: GatewayBase?

    /// - Parameters:
    ///   - services: the configured services.
    ///   - credentialFields: the fields that are clients' credentials.
    ///   - gateway: the origin of the reverse proxy, if this is one.
    public init(_ services: [ServiceRoute], credentialFields: CredentialFields, gateway: GatewayBase? = nil) {
        self.gateway = gateway
        self.services = ServiceDirectory(services)
        self.credentialFields = credentialFields
    }

    public var routes: [ServiceRoute] { services.services.map(\.route) }

    /// Changes `request` as the forward route does: adds the credential of its service, if that goes with every
    /// request.
    public func apply(to request: inout ClientRequest, _ hasher: any PartitionHasher) {
        request.profile.isForOrigin = gateway?.rest(of: request.uri) != nil
        guard let injector = services.injector(of: request.uri.bytes.span) else { return }
        injector.removeReplaced(from: &request.fields)
        request.profile.noteServiceCredential(request.fields, credentialFields)
        request.partitions = injector.partitions(of: request.fields, credentialFields, hasher)
        injector.lend(to: &request)
    }
}

extension NamedService {
    /// The partitions of the service's clients, one for each client's own credentials (C-20.1b).
    ///
    /// - Parameters:
    ///   - fields: the client's, without fields that the service replaces.
    ///   - names: the fields that are credentials.
    func partitions(of fields: Fields, _ names: CredentialFields, _ hasher: any PartitionHasher) -> Partitions {
        let all = credentialText(with: names.text(of: fields, includingCookie: true))
        let credential = credentialText(with: names.text(of: fields, includingCookie: false))
        return Partitions(confinedTo: .credential(hasher.hash(credential)), own: .credential(hasher.hash(all)))
    }

    /// Adds the service's fields, token and certificate to a request.
    func lend(to request: inout ClientRequest) {
        request.injected = injected
        request.credential = route.credential
        request.identity = route.identity
    }
}

extension RequestProfile {
    /// Treats everything that a service adds as a credential.
    mutating func noteServiceCredential(_ fields: Fields, _ names: CredentialFields) {
        credentials.insert(.authorization)
        sharesCredentials = names.presence(in: fields).isEmpty
    }
}
