import Platform
import Settings

/// A place where programs look up which authorities are to be trusted.
protocol TrustStore {
    /// Such as `the system`.
    var name: String { get }
    var needsRoot: Bool { get }

    /// Whether the authority, as it was put there by us, is there.
    func holds(_ authority: OwnAuthority) throws(CommandFailure) -> Bool
    /// Whether anything is there of what `steps(toAdd:)` does, be it done by half.
    func holdsTrace(of authority: OwnAuthority) throws(CommandFailure) -> Bool
    func steps(toAdd authority: OwnAuthority) -> [TrustStep]
    /// All that `steps(toAdd:)` did is undone, and nothing else.
    func steps(toRemove authority: OwnAuthority) throws(CommandFailure) -> [TrustStep]
}

extension TrustStore {
    func holdsTrace(of authority: OwnAuthority) throws(CommandFailure) -> Bool { try holds(authority) }
}

/// What Debian and Ubuntu keep: a directory of the administrator's, and a program that makes of it and the
/// distribution's what OpenSSL, GnuTLS and Java read.
struct CertificateDirectory: TrustStore {
    let name = "the system"
    let needsRoot = true
    private let program: String
    private let directory: String
    /// Where the program keeps what it makes.
    private let made: String
    private let list: String
    private let ownList: String

    /// Nil if this is not how the system does it.
    ///
    /// - Parameter root: what stands before all paths.
    init?(_ tools: SystemTools, root: String = "") {
        directory = "\(root)/usr/local/share/ca-certificates"
        made = "\(root)/etc/ssl/certs"
        list = "\(root)/etc/ca-certificates.conf"
        ownList = "\(root)/run/respite-ca-certificates.conf"
        guard let program = tools.find("update-ca-certificates"), SmallFile.exists(directory) else { return nil }
        self.program = program
    }

    private func file(_ authority: OwnAuthority) -> String { "\(directory)/\(authority.identifier).crt" }
    private func link(_ authority: OwnAuthority) -> String { "\(made)/\(authority.identifier).pem" }

    func holds(_ authority: OwnAuthority) -> Bool {
        [file(authority), link(authority)].allSatisfy { path in
            (try? SmallFile.read(path, limit: 1 << 20)) == authority.pem
        }
    }

    func holdsTrace(of authority: OwnAuthority) throws(CommandFailure) -> Bool {
        if SmallFile.isNamed(file(authority)) || SmallFile.isNamed(link(authority)) { return true }
        let bundle = try Self.read("\(made)/ca-certificates.crt")
        return OwnAuthority.bodies(inPEM: String(decoding: bundle, as: UTF8.self)).contains(authority.body)
    }

    func steps(toAdd authority: OwnAuthority) -> [TrustStep] {
        [.write(file(authority), authority.pem), .run([program])]
    }

    /// The program gets a list of its own that excludes the CA by name; the system's stays as it is.
    ///
    /// Were the file alone taken away, the program would leave its links and Java's copy. Without the system's list it would
    /// have everybody trust nobody.
    func steps(toRemove authority: OwnAuthority) throws(CommandFailure) -> [TrustStep] {
        var list = try Self.read(list)
        if let last = list.last, last != 0x0A { list.append(0x0A) }
        list += Array("!\(authority.identifier).crt\n".utf8)
        return [
            .remove(file(authority)), .write(ownList, list), .run([program, "--certsconf", ownList]), .remove(ownList),
        ]
    }

    /// Nothing, if there is no such file.
    private static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        do throws(SystemError) {
            return try SmallFile.read(path, limit: 32 << 20)
        } catch {
            guard !error.isMissingFile else { return [] }
            throw CommandFailure("\(path) cannot be read: \(error.reason)")
        }
    }
}

/// What Fedora, openSUSE and Arch use: p11-kit's program.
struct TrustAnchors: TrustStore {
    let name = "the system"
    let needsRoot = true
    private let program: String
    private let tools: SystemTools

    init?(_ tools: SystemTools) {
        guard let program = tools.find("trust") else { return nil }
        self.program = program
        self.tools = tools
    }

    /// The program puts another file in the place of the one it is told, so that no stream can take what it says.
    func holds(_ authority: OwnAuthority) throws(CommandFailure) -> Bool {
        let directory: String
        do throws(SystemError) {
            directory = try SmallFile.makePrivateDirectory(in: tools.temporaryDirectory)
        } catch {
            throw CommandFailure("no directory can be made in \(tools.temporaryDirectory): \(error.reason)")
        }
        let file = "\(directory)/anchors.pem"
        defer {
            try? SmallFile.remove(file)
            SmallFile.removeDirectory(directory)
        }
        let what = ["--format=pem-bundle", "--filter=ca-anchors", "--purpose=server-auth"]
        let answer = tools.run([program, "extract"] + what + [file])
        guard answer.isDone else { throw CommandFailure("\(program) extract failed: \(answer.lastLine)") }
        do throws(SystemError) {
            let text = String(decoding: try SmallFile.read(file, limit: 32 << 20), as: UTF8.self)
            return OwnAuthority.bodies(inPEM: text).contains(authority.body)
        } catch {
            throw CommandFailure("what \(program) has extracted cannot be read: \(error.reason)")
        }
    }

    func steps(toAdd authority: OwnAuthority) -> [TrustStep] {
        [.run([program, "anchor", "--store", authority.certificateFile])]
    }

    func steps(toRemove authority: OwnAuthority) -> [TrustStep] {
        [.run([program, "anchor", "--remove", authority.certificateFile])]
    }
}

/// A user's database of Firefox, Chromium and what else is built on NSS.
struct BrowserDatabase: TrustStore {
    let name: String
    let needsRoot = false
    private let database: String
    private let program: String
    private let tools: SystemTools

    /// - Parameter program: `certutil`.
    init(directory: String, program: String, tools: SystemTools) {
        name = directory
        database = "sql:\(directory)"
        self.program = program
        self.tools = tools
    }

    func holds(_ authority: OwnAuthority) throws(CommandFailure) -> Bool {
        let answer = tools.run([program, "-L", "-d", database, "-n", authority.identifier, "-a"])
        if answer.isDone { return OwnAuthority.bodies(inPEM: answer.text).contains(authority.body) }
        guard answer.text.lowercased().contains("could not find") else {
            throw CommandFailure("\(program) cannot read it: \(answer.lastLine)")
        }
        return false
    }

    func steps(toAdd authority: OwnAuthority) -> [TrustStep] {
        let words = ["-A", "-d", database, "-n", authority.identifier, "-t", "C,,", "-i", authority.certificateFile]
        return [.run([program] + words)]
    }

    func steps(toRemove authority: OwnAuthority) -> [TrustStep] {
        [.run([program, "-D", "-d", database, "-n", authority.identifier])]
    }

    /// Directories of a home that have such a database: Chromium's, and each profile of Firefox, from packages, snap or flatpak.
    static func directories(home: String) -> [String] {
        let shared = [".pki/nssdb", "snap/chromium/current/.pki/nssdb", ".var/app/org.chromium.Chromium/.pki/nssdb"]
        let profiles = [
            ".mozilla/firefox", "snap/firefox/common/.mozilla/firefox",
            ".var/app/org.mozilla.firefox/.mozilla/firefox",
        ]
        let all =
            shared.map { "\(home)/\($0)" }
            + profiles.flatMap { place in
                SmallFile.names(in: "\(home)/\(place)").sorted().map { "\(home)/\(place)/\($0)" }
            }
        return all.filter { SmallFile.exists("\($0)/cert9.db") }
    }
}
