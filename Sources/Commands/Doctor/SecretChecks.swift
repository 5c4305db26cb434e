import Platform
import Settings
import Terminal
import TransportSecurity

/// Whether only their owner can read secrets.
enum SecretChecks {
    static func findings(_ context: DoctorContext) -> [Finding] {
        let files = files(context).filter(SmallFile.isNamed)
        let faults = files.compactMap { fault($0, isRoot: context.process.isRoot) }
        guard faults.isEmpty, !files.isEmpty else {
            return faults.isEmpty ? [.note("secrets", "there are none yet")] : faults
        }
        return [.ok("secrets", "\(files.joined(separator: ", ")): only for their owner")]
    }

    private static func files(_ context: DoctorContext) -> [String] {
        let settings = context.settings
        let key = context.paths.authorityDirectory.map { AuthorityFiles(directory: $0).keyFile }
        let all = [
            context.paths.adminTokenFile, settings.adminReadTokenFile, settings.access.loginFile, settings.tls.keyFile,
            key,
        ]
        return all.compactMap(\.self)
    }

    /// Whether another user owns the directory of a file, alone, as the user of a service does.
    private static func isOfService(_ file: String) -> Bool {
        let directory = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        guard let status = try? FileStatus(of: directory) else { return false }
        return !status.isOwn && status.permissions & 0o022 == 0
    }

    private static func fault(_ file: String, isRoot: Bool) -> Finding? {
        if let fault = SecretFile.directoryFault(of: file), !(isRoot && isOfService(file)) {
            return .fault("secrets", "\(file): \(fault)", "let only its owner write there: chmod go-w")
        }
        do {
            let status = try FileStatus(of: file)
            // Its group may read it, for users who want that.
            guard status.permissions & 0o027 != 0 else { return nil }
            let mode = String(status.permissions, radix: 8)
            return .fault(
                "secrets",
                "\(file) has mode \(mode), so others can use it",
                "chmod 600 \(ShellText.quoted(file))"
            )
        } catch {
            return .fault("secrets", "\(file): \(error.reason)", "let this user read it, or use sudo")
        }
    }
}
