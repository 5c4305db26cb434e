public import TransportSecurity

/// What an https origin of a test needs: an authority, and a certificate of it for this machine.
public final class TestSite: Sendable {
    public let authority: IssuedCertificate
    public let certificate: IssuedCertificate
    public let context: TLSServerContext

    /// - Parameters:
    ///   - names: what the certificate is for.
    ///   - asksClients: only clients with a certificate of the same authority are let in.
    public init(
        names: [String] = ["DNS:localhost", "IP:127.0.0.1"],
        asksClients: Bool = false,
        _ change: (inout CertificateContents) -> Void = { _ in }
    ) throws {
        var root = CertificateContents("Test Root")
        root.isAuthority = true
        authority = IssuedCertificate(root)
        var contents = CertificateContents("site", names: names)
        change(&contents)
        certificate = IssuedCertificate(contents, issuer: authority)
        var settings = TLSServerSettings(
            certificate: .init(certificateFile: certificate.certificateFile, keyFile: certificate.keyFile)
        )
        if asksClients { settings.clientAuthorityFiles = [authority.certificateFile] }
        context = try TLSServerContext(settings)
    }

    /// Shows a certificate that was made before.
    public init(authority: IssuedCertificate, certificate: IssuedCertificate) throws {
        self.authority = authority
        self.certificate = certificate
        context = try TLSServerContext(
            TLSServerSettings(
                certificate: .init(certificateFile: certificate.certificateFile, keyFile: certificate.keyFile)
            )
        )
    }

    /// A client's settings that trust this site alone.
    public var clientSettings: TLSClientSettings {
        var settings = TLSClientSettings()
        settings.trustsSystem = false
        settings.authorityFiles = [authority.certificateFile]
        return settings
    }

    /// The server's end of a connection.
    public func accept(_ descriptor: Int32) -> BlockingTLS? {
        context.accept().map { BlockingTLS($0, over: descriptor) }
    }
}
