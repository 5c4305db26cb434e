import Platform

/// All trust stores of this machine and this user.
struct TrustStores {
    private(set) var all: [any TrustStore] = []
    /// Sentences about stores that cannot be changed, and why.
    private(set) var notes: [String] = []

    /// - Parameter home: the user's home directory; nil: no databases of browsers.
    init(_ tools: SystemTools, home: String?) {
        if let system: any TrustStore = CertificateDirectory(tools) ?? TrustAnchors(tools) {
            all.append(system)
        } else {
            notes.append(
                "neither update-ca-certificates nor p11-kit's trust is installed: the system's trust store stays as it is"
            )
        }
        let databases = home.map(BrowserDatabase.directories) ?? []
        if let program = tools.find("certutil") {
            all += databases.map { BrowserDatabase(directory: $0, program: program, tools: tools) }
        } else if !databases.isEmpty {
            let list = databases.joined(separator: ", ")
            notes.append(
                "certutil (package libnss3-tools) is not installed: these databases stay as they are: \(list)"
            )
        }
    }

    /// The user's home directory, if `HOME` is an absolute path.
    static func home(_ context: ProcessContext) -> String? {
        context.environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The names of the stores that trust an authority, or that cannot be read.
    func trusting(_ authority: LocalAuthority) -> [String] {
        all.compactMap { store in
            do throws(CommandFailure) {
                return try store.hasTrace(of: authority) ? store.name : nil
            } catch {
                return "\(store.name) (\(error.userMessage))"
            }
        }
    }
}
