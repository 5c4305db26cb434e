import Eventing
import HTTPCore
import Platform
import Settings
import Terminal
import TransportSecurity

/// Whether certificates of CAs can be read, and whether the own CA can be used.
enum TrustChecks {
    private static let mark = "-----BEGIN CERTIFICATE-----"
    /// A CA that ends within this number of days is worth a note.
    private static let fewDays = 30

    /// The CAs of the system, and the files that variables of this shell name instead.
    static func system(environment: [String: String]) -> Finding {
        for name in ClientVariables.bundleNames + ClientVariables.certificateNames {
            guard let file = environment[name], !file.isEmpty, let fault = fault(file) else { continue }
            return .fault("trust", "\(name) names \(file): \(fault)", "unset \(name), or correct it")
        }
        let install = "install the system's CAs, as by `apt-get install ca-certificates`"
        guard let file = SystemTrust.bundleFile else {
            return .fault(
                "trust",
                "\(SystemTrust.bundleFiles[0]) is not there, so https origins cannot be checked",
                install
            )
        }
        if let fault = fault(file) { return .fault("trust", "\(file): \(fault)", install) }
        return .ok("trust", "the CAs in \(file) can be read")
    }

    static func ofSettings(_ context: DoctorContext) -> [Finding] {
        let files: [Finding] = context.settings.tls.caFiles.compactMap { file in
            fault(file).map { .fault("trust", "`tls.ca-files` has \(file): \($0)", "correct it") }
        }
        return files + (context.settings.intercept.hosts.isEmpty ? [] : [authority(context)])
    }

    /// The CA whose certificates intercepted hosts show.
    private static func authority(_ context: DoctorContext) -> Finding {
        guard let directory = context.paths.authorityDirectory else {
            return .fault("CA", "HOME is not set, so there is no directory for it", "set `intercept.ca-directory`")
        }
        let files = AuthorityFiles(directory: directory)
        do throws(AuthorityError) {
            _ = try files.load(at: .now)
            let days = try files.loadCertificate().daysLeft(at: .now)
            let seen = "\(files.certificateFile) is valid for \(Plural.text(days, "day"))"
            return days < fewDays ? .note("CA", seen, "make a new one: `respite ca create --force`") : .ok("CA", seen)
        } catch {
            let remedy = "`respite ca create` makes one, and `respite ca trust` lets programs trust it"
            return .fault("CA", error.userMessage, remedy)
        }
    }

    /// Why a file has no certificates; nil if it has some.
    private static func fault(_ file: String) -> String? {
        do {
            let text = String(decoding: try SmallFile.read(file, limit: 32 << 20), as: UTF8.self)
            return text.contains(mark) ? nil : "it has no certificate"
        } catch {
            return error.reason
        }
    }
}
