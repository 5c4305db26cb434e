public import HTTPCore

/// The certificate of our own authority, which clients have to trust.
public struct AuthorityCertificate: Sendable {
    let certificate: Certificate
    /// Its common name.
    public let name: String
    public let begins: HTTPDate
    /// The last second at which the certificates that it has signed are valid.
    public let ends: HTTPDate
    /// SHA-256 of its DER form.
    public let fingerprint: [UInt8]
    /// The hosts it may sign for; nil: every host.
    public let constraints: NameConstraints?

    init(_ certificate: Certificate) {
        self.certificate = certificate
        name = certificate.subjectName
        begins = certificate.begins
        ends = certificate.ends
        fingerprint = certificate.fingerprint
        constraints = certificate.nameConstraints
    }

    /// Whether clients that trust it accept its certificate for this host.
    public func permits(_ host: ServerName) -> Bool { constraints?.permits(host) ?? true }

    /// Whole days until it ends; below 0 afterwards.
    public func daysLeft(at now: HTTPDate) -> Int {
        let seconds = ends.seconds - now.seconds
        return seconds < 0 ? -1 : Int(seconds / 86_400)
    }

    public var pem: [UInt8] { certificate.pem }
    public var der: [UInt8] { certificate.der }

    /// The fingerprint as `AB:CD:…`.
    public var fingerprintText: String {
        fingerprint.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "0\(digits)" : digits
        }.joined(separator: ":")
    }

    /// Appends this certificate to a text of certificates in PEM form, unless the text contains it.
    public func appended(toBundle bundle: [UInt8]) -> [UInt8] {
        guard !Certificate.all(inPEM: bundle).contains(where: { $0.fingerprint == fingerprint }) else { return bundle }
        return bundle + (bundle.isEmpty || bundle.last == 0x0A ? [] : [0x0A]) + pem
    }
}
