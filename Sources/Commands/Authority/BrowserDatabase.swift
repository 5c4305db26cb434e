import Platform

/// A certificate database of a user's Firefox, Chromium or other program with NSS.
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

    func trusts(_ authority: LocalAuthority) throws(CommandFailure) -> Bool {
        let result = tools.run([program, "-L", "-d", database, "-n", authority.identifier, "-a"])
        if result.hasSucceeded { return LocalAuthority.bodies(inPEM: result.text).contains(authority.body) }
        guard result.text.lowercased().contains("could not find") else {
            throw CommandFailure("\(program) cannot read it: \(result.lastLine)")
        }
        return false
    }

    func steps(toAdd authority: LocalAuthority) -> [TrustStep] {
        let words = ["-A", "-d", database, "-n", authority.identifier, "-t", "C,,", "-i", authority.certificateFile]
        return [.run([program] + words)]
    }

    func steps(toRemove authority: LocalAuthority) -> [TrustStep] {
        [.run([program, "-D", "-d", database, "-n", authority.identifier])]
    }

    /// The directories with such a database in a home: Chromium's and each Firefox profile's, from packages, snap or
    /// flatpak.
    static func directories(home: String) -> [String] {
        let shared = [".pki/nssdb", "snap/chromium/current/.pki/nssdb", ".var/app/org.chromium.Chromium/.pki/nssdb"]
        let profiles = [
            ".mozilla/firefox", "snap/firefox/common/.mozilla/firefox",
            ".var/app/org.mozilla.firefox/.mozilla/firefox",
        ]
        let all =
            shared.map { "\(home)/\($0)" }
            + profiles.flatMap { folder in
                SmallFile.names(in: "\(home)/\(folder)").sorted().map { "\(home)/\(folder)/\($0)" }
            }
        return all.filter { SmallFile.exists("\($0)/cert9.db") }
    }
}
