import Platform

/// The trust store of Fedora, openSUSE and Arch, which the program of p11-kit changes.
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

    /// Uses a directory, since the program writes only to a file that does not exist yet, and not to a stream.
    func trusts(_ authority: LocalAuthority) throws(CommandFailure) -> Bool {
        let directory: String
        do throws(SystemError) {
            directory = try SmallFile.makePrivateDirectory(in: tools.temporaryDirectory)
        } catch {
            throw CommandFailure("cannot make a directory in \(tools.temporaryDirectory): \(error.reason)")
        }
        let file = "\(directory)/anchors.pem"
        defer {
            try? SmallFile.remove(file)
            SmallFile.removeDirectory(directory)
        }
        let options = ["--format=pem-bundle", "--filter=ca-anchors", "--purpose=server-auth"]
        let result = tools.run([program, "extract"] + options + [file])
        guard result.hasSucceeded else { throw CommandFailure("\(program) extract failed: \(result.lastLine)") }
        do throws(SystemError) {
            let text = String(decoding: try SmallFile.read(file, limit: 32 << 20), as: UTF8.self)
            return LocalAuthority.bodies(inPEM: text).contains(authority.body)
        } catch {
            throw CommandFailure("cannot read the certificates that \(program) extracted: \(error.reason)")
        }
    }

    func steps(toAdd authority: LocalAuthority) -> [TrustStep] {
        [.run([program, "anchor", "--store", authority.certificateFile])]
    }

    func steps(toRemove authority: LocalAuthority) -> [TrustStep] {
        [.run([program, "anchor", "--remove", authority.certificateFile])]
    }
}
