import Platform
import Settings

/// All places of this machine and this user that trust in an authority can be put into.
struct TrustPlaces {
    private(set) var stores: [any TrustStore] = []
    /// What is left alone, and why.
    private(set) var remarks: [String] = []

    /// - Parameter home: the user's; nil: no databases of browsers.
    init(_ tools: SystemTools, home: String?) {
        if let system: any TrustStore = CertificateDirectory(tools) ?? TrustAnchors(tools) {
            stores.append(system)
        } else {
            remarks.append(
                "neither update-ca-certificates nor p11-kit's trust is installed: the system is left as it is"
            )
        }
        let databases = home.map(BrowserDatabase.directories) ?? []
        if let program = tools.find("certutil") {
            stores += databases.map { BrowserDatabase(directory: $0, program: program, tools: tools) }
        } else if !databases.isEmpty {
            let list = databases.joined(separator: ", ")
            remarks.append("certutil (package libnss3-tools) is not installed: these stay as they are: \(list)")
        }
    }

    /// The home of the user, if there is one.
    static func home(_ context: ProcessContext) -> String? {
        context.environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The names of those that hold an authority, or do not tell.
    func holding(_ authority: OwnAuthority) -> [String] {
        stores.compactMap { store in
            do throws(CommandFailure) {
                return try store.holdsTrace(of: authority) ? store.name : nil
            } catch {
                return "\(store.name) (\(error.userMessage))"
            }
        }
    }
}
