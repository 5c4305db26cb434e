import CommandSyntax
import Platform
import Settings
import Terminal
import TransportSecurity

/// Files with our CA, for programs that do not use the system's trust store.
struct TrustFiles {
    /// The files; nil if there is no CA for this user and these settings, or the files cannot be written.
    private(set) var files: ClientVariables.Trust?
    /// Sentences about what went wrong.
    private(set) var notes: [String] = []

    /// Rewrites bundles if the CA has changed, or the bundle to which it is appended.
    ///
    /// They are beside the CA, otherwise in the user's cache directory.
    ///
    /// - Parameter environment: if a variable names a bundle already, our CA is appended to a copy of it.
    init(_ command: ParsedCommand, environment: ProcessEnvironment) {
        let files = try? AuthorityCommand.files(command)
        self.init(files, environment: environment, cache: ProcessContext.current.cacheDirectory)
    }

    init(_ files: AuthorityFiles?, environment: ProcessEnvironment, cache: String?) {
        guard let files else { return }
        do throws(AuthorityError) {
            let certificate = try files.loadCertificate()
            let folder = BundleFolder(files, certificate, cache: cache)
            let bundle = try folder.write(certificate.appended(toBundle: try AuthorityCommand.systemBundle()))
            var trust = ClientVariables.Trust(certificate: files.certificateFile, bundle: bundle)
            for name in ClientVariables.bundleNames + ClientVariables.certificateNames {
                guard let present = environment[name], !present.isEmpty,
                    ![bundle, files.certificateFile].contains(present)
                else { continue }
                trust.extended[name] = try extend(name, present, with: certificate, folder)
            }
            self.files = trust
        } catch .absent {
            return
        } catch {
            notes.append("the variables do not name the CA: \(error.userMessage)")
        }
    }

    /// Appends our CA to a copy of the bundle that a variable names.
    ///
    /// Returns the copy's path, or the bundle itself if it cannot be read.
    private mutating func extend(
        _ name: String,
        _ present: String,
        with certificate: AuthorityCertificate,
        _ folder: BundleFolder
    ) throws(AuthorityError) -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try SmallFile.read(present, limit: 16 << 20)
        } catch {
            notes.append("\(name) stays \(Console.printable(present)), without the CA: \(error.reason)")
            return present
        }
        let extended = certificate.appended(toBundle: bytes)
        return extended == bytes ? present : try folder.write(extended, copyOf: present)
    }
}

/// The folder for bundles.
private struct BundleFolder {
    /// The beginnings of paths; the first that can be written is used.
    private let prefixes: [String]

    init(_ files: AuthorityFiles, _ certificate: AuthorityCertificate, cache: String?) {
        let name = LocalAuthority(files, certificate).identifier
        prefixes = ["\(files.directory)/bundle"] + (cache.map { ["\($0)/\(name)-bundle"] } ?? [])
    }

    /// Writes a bundle unless its file has these bytes already.
    ///
    /// - Parameter source: the bundle that it extends; nil: the system's.
    /// - Returns: the path.
    func write(_ bytes: [UInt8], copyOf source: String? = nil) throws(AuthorityError) -> String {
        var failure = AuthorityError.notMade
        for prefix in prefixes {
            let path = prefix + (source.map { "-\(Self.hash($0))" } ?? "") + ".pem"
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

    /// A different text for each path (FNV-1a).
    private static func hash(_ path: String) -> String {
        let hash = path.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
