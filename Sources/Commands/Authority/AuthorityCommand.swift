import CommandSyntax
import Eventing
import HTTPCore
import Platform
import Settings
import Terminal
import TransportSecurity

/// `respite ca create`, `show` and `export`: the CA that signs certificates for intercepted hosts.
enum AuthorityCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        CommandFailure.report { () throws(CommandFailure) in
            let files = try files(command)
            switch command.name {
            case "ca create": try create(files, command)
            case "ca show": try AuthorityReport(files).show(isJSON: command.has("json"))
            default: try export(files, command)
            }
            return 0
        }
    }

    /// The files of the CA of a daemon with this user and these settings.
    static func files(_ command: ParsedCommand) throws(CommandFailure) -> AuthorityFiles {
        let context = ProcessContext.current
        let settings = try LoadedSettings.forCommand(command, context: context).values
        guard let directory = DaemonPaths(settings, context: context).authorityDirectory else {
            throw CommandFailure(
                "HOME is not set, so there is no directory for the CA; name one with `--ca-directory DIR`",
                exitCode: 2
            )
        }
        return AuthorityFiles(directory: directory)
    }

    private static func create(_ files: AuthorityFiles, _ command: ParsedCommand) throws(CommandFailure) {
        let name = command.value(of: "name") ?? String("Respite local CA (\(ProcessContext.machineName))".prefix(64))
        guard (1...64).contains(name.unicodeScalars.count), name == Console.printable(name) else {
            throw CommandFailure("`--name` must have 1 to 64 characters, and no control characters", exitCode: 2)
        }
        guard let days = Int(command.value(of: "days") ?? "730"), (1...7300).contains(days) else {
            throw CommandFailure("`--days` must be a number from 1 to 7300", exitCode: 2)
        }
        let hosts = try permittedHosts(command)
        if command.has("force"), !command.has("leave-trusted") {
            let stores = TrustStores(SystemTools(), home: TrustStores.home(.current))
            if let failure = replacementFault(of: files, stores) { throw failure }
        }
        do throws(AuthorityError) {
            let authority = try CertificateAuthority.make(name: name, days: days, for: hosts, at: HTTPDate.now)
            try files.write(authority, replaces: command.has("force"))
        } catch {
            throw CommandFailure(error)
        }
        if command.has("json") { return try AuthorityReport(files).show(isJSON: true) }
        try AuthorityReport(files).show(isJSON: false)
        Console.complain(
            "No program trusts this CA yet, and Respite intercepts only the hosts in `intercept.hosts`. Keep \(files.keyFile) "
                + "secret: with it, anybody can impersonate \(hosts.isEmpty ? "any site" : "these hosts") to programs that "
                + "trust the CA."
                + (hosts.isEmpty ? " With `--for HOST…` a CA is valid only for the hosts you name." : "")
        )
    }

    /// The hosts of `--for`.
    private static func permittedHosts(_ command: ParsedCommand) throws(CommandFailure) -> [PermittedHost] {
        try command.values(of: "for").map { (text) throws(CommandFailure) -> PermittedHost in
            let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
            if let range = AddressRange(text: bare) {
                return .addresses(base: range.base.bytes, prefixLength: range.prefixLength)
            }
            let stars = text.prefix { $0 == "*" }
            let isWildcard = !stars.isEmpty && text.dropFirst(stars.count).hasPrefix(".")
            let name = isWildcard ? text.dropFirst(stars.count + 1) : text[...]
            guard let host = ServerName(host: Array(name.utf8)), !host.isAddress else {
                throw CommandFailure(
                    "`--for` must be a host such as example.com (with all hosts below it), an address, or a network such as "
                        + "10.0.0.0/8, not `\(Console.printable(text))`",
                    exitCode: 2
                )
            }
            return .name(host.description)
        }
    }

    /// Why the current CA must not be replaced; nil if it may be.
    ///
    /// If a store trusts it, `ca untrust` needs its certificate to remove it from there.
    static func replacementFault(of files: AuthorityFiles, _ stores: TrustStores) -> CommandFailure? {
        guard let certificate = try? files.loadCertificate() else { return nil }
        let trusting = stores.trusting(LocalAuthority(files, certificate))
        guard !trusting.isEmpty else { return nil }
        return CommandFailure(
            "the CA in \(files.certificateFile) is still trusted by \(trusting.joined(separator: ", ")): "
                + "run `respite ca untrust` first, or accept that with `--leave-trusted`"
        )
    }

    private static func export(_ files: AuthorityFiles, _ command: ParsedCommand) throws(CommandFailure) {
        let format = command.value(of: "format") ?? "pem"
        guard format == "pem" || format == "der" else {
            throw CommandFailure("`--format` must be pem or der, not `\(Console.printable(format))`", exitCode: 2)
        }
        guard format == "pem" || !command.has("bundle") else {
            throw CommandFailure("a bundle cannot be DER; leave out `--format der`", exitCode: 2)
        }
        do throws(AuthorityError) {
            let certificate = try files.loadCertificate()
            var bytes = format == "der" ? certificate.der : certificate.pem
            if command.has("bundle") { bytes = certificate.appended(toBundle: try systemBundle()) }
            if let path = command.value(of: "out") {
                try SystemTrust.write(bytes, to: path)
            } else {
                Console.write(bytes)
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The certificates of all CAs that the system trusts.
    static func systemBundle() throws(AuthorityError) -> [UInt8] {
        guard let file = SystemTrust.bundleFile else {
            throw .unreadable(file: SystemTrust.bundleFiles[0], reason: "this system has no file of trusted CAs")
        }
        do {
            return try SmallFile.read(file, limit: 16 << 20)
        } catch {
            throw .unreadable(file: file, reason: error.reason)
        }
    }
}

extension CommandFailure {
    /// Exit code 3 if there is no CA, otherwise 1.
    init(_ error: AuthorityError) {
        if case .absent = error { self.init(error.userMessage, exitCode: 3) } else { self.init(error.userMessage) }
    }
}
