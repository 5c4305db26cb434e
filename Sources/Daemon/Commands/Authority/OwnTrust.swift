import Settings
import TransportSecurity

/// The files by which programs that do not ask the system trust our CA.
enum OwnTrust {
    /// Nil if there is no CA for this user and these settings.
    ///
    /// The bundle is made anew where the CA or what the system trusts has changed; it stands beside the CA.
    static func files(_ command: ParsedCommand) throws(CommandFailure) -> ClientVariables.Trust? {
        guard let files = try? AuthorityCommand.files(command) else { return nil }
        let bundle = "\(files.directory)/bundle.pem"
        do throws(AuthorityError) {
            let certificate = try files.loadCertificate()
            let octets = certificate.appended(toBundle: try AuthorityCommand.systemBundle())
            if (try? SmallFile.read(bundle, limit: 32 << 20)) != octets { try SystemTrust.write(octets, to: bundle) }
        } catch .absent {
            return nil
        } catch {
            throw CommandFailure(error)
        }
        return ClientVariables.Trust(certificate: files.certificateFile, bundle: bundle)
    }
}
