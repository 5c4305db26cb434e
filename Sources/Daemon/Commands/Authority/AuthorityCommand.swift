import Eventing
import HTTPCore
import Platform
import Settings
import TransportSecurity

/// `respite ca create`, `show` and `export`: the CA by which hosts are intercepted.
enum AuthorityCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        do throws(CommandFailure) {
            let files = try files(command)
            switch command.name {
            case "ca create": try create(files, command)
            case "ca show": try AuthorityReport(files).show(isJSON: command.has("json"))
            default: try export(files, command)
            }
            return 0
        } catch {
            Console.complain("respite: \(error.userMessage)")
            return error.exitCode
        }
    }

    /// Where the CA is, for this user and these settings: the place the daemon looks at.
    static func files(_ command: ParsedCommand) throws(CommandFailure) -> AuthorityFiles {
        let context = ProcessContext.current
        let settings: DaemonSettings
        do throws(SettingsError) {
            settings = try LoadedSettings.load(command, context: context).values
        } catch {
            throw CommandFailure("\(error)", exitCode: 2)
        }
        guard let directory = DaemonPaths(settings, context: context).authorityDirectory else {
            throw CommandFailure("there is no place for a CA without HOME; `--ca-directory DIR` names one", exitCode: 2)
        }
        return AuthorityFiles(directory: directory)
    }

    private static func create(_ files: AuthorityFiles, _ command: ParsedCommand) throws(CommandFailure) {
        let name = command.value(of: "name") ?? String("Respite local CA (\(ProcessContext.machineName))".prefix(64))
        guard (1...64).contains(name.unicodeScalars.count), name == Console.printable(name) else {
            throw CommandFailure("`--name` has 1 to 64 characters, none of them a control", exitCode: 2)
        }
        guard let days = Int(command.value(of: "days") ?? "730"), (1...7300).contains(days) else {
            throw CommandFailure("`--days` is a number from 1 to 7300", exitCode: 2)
        }
        let hosts = try permittedHosts(command)
        if command.has("force"), !command.has("leave-trusted") {
            let places = TrustPlaces(SystemTools(), home: TrustPlaces.home(.current))
            if let failure = trust(in: files, places) { throw failure }
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
            "Nobody trusts it yet, and nothing is intercepted that `intercept.hosts` does not name. Who has \(files.keyFile) "
                + "can pass for \(hosts.isEmpty ? "any site" : "these hosts") with those who trust it: it stays on this machine."
                + (hosts.isEmpty ? " `--for HOST…` makes a CA that is good for the hosts you name alone." : "")
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
                    "`--for` is a host such as example.com, with all hosts below it, an address or a network such as "
                        + "10.0.0.0/8, not `\(Console.printable(text))`",
                    exitCode: 2
                )
            }
            return .name(host.description)
        }
    }

    /// Why the CA that is there may not be replaced: afterwards nobody would know how to take trust in it back.
    static func trust(in files: AuthorityFiles, _ places: TrustPlaces) -> CommandFailure? {
        guard let certificate = try? files.loadCertificate() else { return nil }
        let holding = places.holding(OwnAuthority(files, certificate))
        guard !holding.isEmpty else { return nil }
        return CommandFailure(
            "the CA in \(files.certificateFile) is still trusted by \(holding.joined(separator: ", ")): "
                + "`respite ca untrust` first, or leave it so by `--leave-trusted`"
        )
    }

    private static func export(_ files: AuthorityFiles, _ command: ParsedCommand) throws(CommandFailure) {
        let format = command.value(of: "format") ?? "pem"
        guard format == "pem" || format == "der" else {
            throw CommandFailure("`--format` is pem or der, not `\(Console.printable(format))`", exitCode: 2)
        }
        guard format == "pem" || !command.has("bundle") else {
            throw CommandFailure("a bundle has no DER form; leave out `--format der`", exitCode: 2)
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

    /// All authorities that the system trusts.
    static func systemBundle() throws(AuthorityError) -> [UInt8] {
        guard let file = SystemTrust.bundleFile else {
            throw .unreadable(file: SystemTrust.bundleFiles[0], reason: "there is no file of trusted authorities here")
        }
        do {
            return try SmallFile.read(file, limit: 16 << 20)
        } catch {
            throw .unreadable(file: file, reason: error.reason)
        }
    }
}

extension CommandFailure {
    /// 3 if there is no CA.
    init(_ error: AuthorityError) {
        if case .absent = error { self.init(error.userMessage, exitCode: 3) } else { self.init(error.userMessage) }
    }
}
