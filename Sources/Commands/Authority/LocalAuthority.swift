import CommandSyntax
import Eventing
import HTTPCore
import Settings
import TransportSecurity

/// The CA of this user, as trust stores see it.
struct LocalAuthority {
    let directory: String
    let certificateFile: String
    let pem: [UInt8]
    /// The name of the CA in trust stores: letters, digits and dashes, different for each CA.
    let identifier: String

    /// Reads the CA of a daemon with this user and these settings.
    init(_ command: ParsedCommand) throws(CommandFailure) {
        let files = try AuthorityCommand.files(command)
        do throws(AuthorityError) {
            let certificate = try files.loadCertificate()
            guard command.name != "ca trust" || HTTPDate.now <= certificate.ends else {
                throw AuthorityError.expired(certificateFile: files.certificateFile, date: certificate.ends.day)
            }
            self.init(files, certificate)
        } catch {
            throw CommandFailure(error)
        }
    }

    init(_ files: AuthorityFiles, _ certificate: AuthorityCertificate) {
        directory = files.directory
        certificateFile = files.certificateFile
        pem = certificate.pem
        let digits = certificate.fingerprintText.filter { $0 != ":" }.prefix(16).lowercased()
        identifier = "respite-\(digits)"
    }

    /// The Base64 text between the lines that begin and end the certificate.
    var body: String { Self.bodies(inPEM: String(decoding: pem, as: UTF8.self)).first ?? "" }

    /// The Base64 texts of all certificates in a PEM text, without line ends.
    static func bodies(inPEM text: String) -> [String] {
        let parts = text.split(separator: "-----BEGIN CERTIFICATE-----", omittingEmptySubsequences: false)
        return parts.dropFirst().map { part in
            let body = part.ranges(of: "-----END").first.map { part[..<$0.lowerBound] } ?? part
            return String(body.filter { !$0.isWhitespace })
        }
    }
}
