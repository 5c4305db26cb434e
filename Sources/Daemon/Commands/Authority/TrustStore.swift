import Settings

/// A place where programs look up which authorities are to be trusted.
protocol TrustStore {
    /// Such as `the system`.
    var name: String { get }
    var needsRoot: Bool { get }

    /// Whether the authority, as it was put there by us, is there.
    func holds(_ authority: OwnAuthority) -> Bool
    func steps(toAdd authority: OwnAuthority) -> [TrustStep]
    /// All that `steps(toAdd:)` did is undone, and nothing else.
    func steps(toRemove authority: OwnAuthority) -> [TrustStep]
}

/// What Debian and Ubuntu keep: a directory of the administrator's, and a program that makes of it and the
/// distribution's what OpenSSL, GnuTLS and Java read.
struct CertificateDirectory: TrustStore {
    static let directory = "/usr/local/share/ca-certificates"
    /// Where the program keeps what it makes.
    private static let made = "/etc/ssl/certs"
    private static let list = "/etc/ca-certificates.conf"
    private static let ownList = "/run/respite-ca-certificates.conf"

    let name = "the system"
    let needsRoot = true
    private let program: String

    /// Nil if this is not how the system does it.
    init?(_ tools: SystemTools) {
        guard let program = tools.find("update-ca-certificates"), SmallFile.exists(Self.directory) else { return nil }
        self.program = program
    }

    private func file(_ authority: OwnAuthority) -> String { "\(Self.directory)/\(authority.identifier).crt" }

    func holds(_ authority: OwnAuthority) -> Bool {
        let isThere = [file(authority), "\(Self.made)/\(authority.identifier).pem"].map { path in
            (try? SmallFile.read(path, limit: 1 << 20)) == authority.pem
        }
        return isThere == [true, true]
    }

    func steps(toAdd authority: OwnAuthority) -> [TrustStep] {
        [.write(file(authority), authority.pem), .run([program])]
    }

    /// The program gets a list of its own that excludes the CA by name; the system's stays as it is.
    ///
    /// Were the file alone taken away, the program would leave its links and Java's copy.
    func steps(toRemove authority: OwnAuthority) -> [TrustStep] {
        var list = (try? SmallFile.read(Self.list, limit: 1 << 20)) ?? []
        if let last = list.last, last != 0x0A { list.append(0x0A) }
        list += Array("!\(authority.identifier).crt\n".utf8)
        return [
            .remove(file(authority)), .write(Self.ownList, list), .run([program, "--certsconf", Self.ownList]),
            .remove(Self.ownList),
        ]
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

    func holds(_ authority: OwnAuthority) -> Bool {
        let answer = tools.run([program, "extract", "--format=pem-bundle", "--filter=ca-anchors", "/dev/stdout"])
        return answer.isDone && OwnAuthority.bodies(inPEM: answer.text).contains(authority.body)
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

    func holds(_ authority: OwnAuthority) -> Bool {
        let answer = tools.run([program, "-L", "-d", database, "-n", authority.identifier, "-a"])
        return answer.isDone && OwnAuthority.bodies(inPEM: answer.text).contains(authority.body)
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
