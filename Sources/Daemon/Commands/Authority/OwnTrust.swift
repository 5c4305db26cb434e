import Eventing
import Platform
import Settings
import TransportSecurity

/// The files by which programs that do not ask the system trust our CA.
struct OwnTrust {
    /// Nil if there is no CA for this user and these settings, or it cannot be told of.
    private(set) var files: ClientVariables.Trust?
    /// What a person should know.
    private(set) var notes: [String] = []

    /// Bundles are made anew where the CA, or what it stands behind, has changed; they stand beside the CA, else in the user's
    /// cache directory.
    ///
    /// - Parameter environment: variables that name a file there already get that file with our CA behind it.
    init(_ command: ParsedCommand, environment: ProcessEnvironment) {
        let files = try? AuthorityCommand.files(command)
        self.init(files, environment: environment, cache: ProcessContext.current.cacheDirectory)
    }

    init(_ files: AuthorityFiles?, environment: ProcessEnvironment, cache: String?) {
        guard let files else { return }
        do throws(AuthorityError) {
            let certificate = try files.loadCertificate()
            let place = BundlePlace(files, certificate, cache: cache)
            let bundle = try place.keep(certificate.appended(toBundle: try AuthorityCommand.systemBundle()))
            var trust = ClientVariables.Trust(certificate: files.certificateFile, bundle: bundle)
            for name in ClientVariables.bundleNames + ClientVariables.certificateNames {
                guard let present = environment[name], !present.isEmpty,
                    ![bundle, files.certificateFile].contains(present)
                else { continue }
                trust.own[name] = try extend(name, present, by: certificate, place)
            }
            self.files = trust
        } catch .absent {
            return
        } catch {
            notes.append("programs are not told of the CA: \(error.userMessage)")
        }
    }

    /// A file with what a variable names already and our CA; that itself, if it cannot be read.
    private mutating func extend(
        _ name: String,
        _ present: String,
        by certificate: AuthorityCertificate,
        _ place: BundlePlace
    ) throws(AuthorityError) -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try SmallFile.read(present, limit: 16 << 20)
        } catch {
            notes.append("\(name) stays \(Console.printable(present)), without the CA: \(error.reason)")
            return present
        }
        let extended = certificate.appended(toBundle: bytes)
        return extended == bytes ? present : try place.keep(extended, of: present)
    }
}

/// Where bundles are kept.
private struct BundlePlace {
    /// The first that can be written counts.
    private let beginnings: [String]

    init(_ files: AuthorityFiles, _ certificate: AuthorityCertificate, cache: String?) {
        let name = OwnAuthority(files, certificate).identifier
        beginnings = ["\(files.directory)/bundle"] + (cache.map { ["\($0)/\(name)-bundle"] } ?? [])
    }

    /// - Parameter source: the file it was made of; nil: what the system trusts.
    func keep(_ bytes: [UInt8], of source: String? = nil) throws(AuthorityError) -> String {
        var failure = AuthorityError.notMade
        for beginning in beginnings {
            let path = beginning + (source.map { "-\(Self.mark($0))" } ?? "") + ".pem"
            if (try? SmallFile.read(path, limit: 32 << 20)) == bytes { return path }
            SecretFile.makeDirectories(of: path)
            do throws(AuthorityError) {
                try SystemTrust.write(bytes, to: path)
                return path
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Tells paths apart (FNV-1a).
    private static func mark(_ path: String) -> String {
        let hash = path.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
