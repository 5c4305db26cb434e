import Platform

/// The trust store of Debian and Ubuntu.
///
/// The administrator adds certificates to a directory. A program combines it with the distribution's, and writes the
/// files that OpenSSL, GnuTLS and Java read.
struct CertificateDirectory: TrustStore {
    let name = "the system"
    let needsRoot = true
    private let program: String
    private let directory: String
    /// Where the program writes its files.
    private let output: String
    /// The program's list of certificates, and our copy of it.
    private let list: String
    private let listCopy: String

    /// Nil if the system has no such store.
    ///
    /// - Parameter root: a prefix of all paths, for tests.
    init?(_ tools: SystemTools, root: String = "") {
        directory = "\(root)/usr/local/share/ca-certificates"
        output = "\(root)/etc/ssl/certs"
        list = "\(root)/etc/ca-certificates.conf"
        listCopy = "\(root)/run/respite-ca-certificates.conf"
        guard let program = tools.find("update-ca-certificates"), SmallFile.exists(directory) else { return nil }
        self.program = program
    }

    private func file(_ authority: LocalAuthority) -> String { "\(directory)/\(authority.identifier).crt" }
    private func link(_ authority: LocalAuthority) -> String { "\(output)/\(authority.identifier).pem" }

    func trusts(_ authority: LocalAuthority) -> Bool {
        [file(authority), link(authority)].allSatisfy { path in
            (try? SmallFile.read(path, limit: 1 << 20)) == authority.pem
        }
    }

    func hasTrace(of authority: LocalAuthority) throws(CommandFailure) -> Bool {
        if SmallFile.isNamed(file(authority)) || SmallFile.isNamed(link(authority)) { return true }
        let bundle = try Self.read("\(output)/ca-certificates.crt")
        return LocalAuthority.bodies(inPEM: String(decoding: bundle, as: UTF8.self)).contains(authority.body)
    }

    func steps(toAdd authority: LocalAuthority) -> [TrustStep] {
        [.write(file(authority), authority.pem), .run([program])]
    }

    /// Runs the program with a copy of its list that excludes the CA by name; the list itself stays as it is.
    ///
    /// If we only removed the file, the program would leave its links and Java's copy. Without a list, the program
    /// would remove all CAs.
    func steps(toRemove authority: LocalAuthority) throws(CommandFailure) -> [TrustStep] {
        var list = try Self.read(list)
        if let last = list.last, last != 0x0A { list.append(0x0A) }
        list += Array("!\(authority.identifier).crt\n".utf8)
        return [
            .remove(file(authority)), .write(listCopy, list), .run([program, "--certsconf", listCopy]),
            .remove(listCopy),
        ]
    }

    /// The bytes of a file; empty if there is no such file.
    private static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        do throws(SystemError) {
            return try SmallFile.read(path, limit: 32 << 20)
        } catch {
            guard !error.isMissingFile else { return [] }
            throw CommandFailure("cannot read \(path): \(error.reason)")
        }
    }
}
