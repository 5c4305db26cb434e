import Eventing
import HTTPCore
import Settings
import TransportSecurity

/// Our CA as those see it who are to trust it.
struct OwnAuthority {
    let directory: String
    let certificateFile: String
    let pem: [UInt8]
    /// A name for it in stores of others, of letters, digits and dashes: different CAs have different ones.
    let identifier: String

    /// The CA of this user and these settings.
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

    /// What stands between the lines that begin and end it.
    var body: String { Self.bodies(inPEM: String(decoding: pem, as: UTF8.self)).first ?? "" }

    /// What stands between the lines of each certificate, without ends of lines.
    static func bodies(inPEM text: String) -> [String] {
        let parts = text.split(separator: "-----BEGIN CERTIFICATE-----", omittingEmptySubsequences: false)
        return parts.dropFirst().map { part in
            let body = part.ranges(of: "-----END").first.map { part[..<$0.lowerBound] } ?? part
            return String(body.filter { !$0.isWhitespace })
        }
    }
}
