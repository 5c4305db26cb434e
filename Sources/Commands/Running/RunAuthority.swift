import CommandSyntax
import CommandTexts
import Eventing
import HTTPCore
import Platform
import Settings
import Terminal
import TransportSecurity

/// The CA of one `respite run --intercept`, and what programs need to trust it.
///
/// It is valid for a day and, where hosts are named, for these hosts alone. Its files are in the command's private
/// directory, which is removed when the command ends. Nothing outside the command's environment names it.
struct RunAuthority {
    /// The hosts whose TLS ends in the daemon.
    let hosts: [String]
    let directory: String
    let trust: ClientVariables.Trust
    /// Sentences about what went wrong.
    let notes: [String]
    private let javaStore: String
    private let nodeScript: String

    /// - Parameter isForAll: whether it is for all hosts, whatever options and settings say.
    init(
        _ command: ParsedCommand,
        _ private: RunDirectory,
        _ environment: ProcessEnvironment,
        isForAll: Bool = false
    ) throws(CommandFailure) {
        let named = isForAll ? ["**"] : command.values(of: "intercept").flatMap(Self.patterns)
        let settings = named.isEmpty ? try LoadedSettings.forCommand(command).values.intercept.hosts.map(\.text) : named
        hosts = settings.isEmpty ? ["**"] : settings
        directory = "\(`private`.path)/ca"
        let files = AuthorityFiles(directory: directory)
        let permitted = try Self.permitted(hosts)
        let roots: [UInt8]
        do throws(AuthorityError) {
            let authority = try CertificateAuthority.make(
                name: "Respite CA of one command",
                days: 1,
                for: permitted,
                at: HTTPDate.now
            )
            try files.write(authority, replaces: false)
            roots = authority.certificate.appended(toBundle: try AuthorityCommand.systemBundle())
        } catch {
            throw CommandFailure("cannot make a CA for this command: \(error.userMessage)", exitCode: 125)
        }
        let trust = TrustFiles(files, environment: environment, cache: nil)
        guard let trusted = trust.files else {
            throw CommandFailure(
                "cannot make a CA for this command: \(trust.notes.joined(separator: "; "))",
                exitCode: 125
            )
        }
        self.trust = trusted
        notes = trust.notes
        javaStore = try `private`.write(JavaTrustStore.bytes(of: roots), to: "java-trust.jks")
        nodeScript = try `private`.write(NodeScript.text, to: "proxy.cjs")
    }

    /// The options by which a daemon uses it.
    var settings: [String] {
        let hosts = hosts.map(TOMLText.quoted).joined(separator: ", ")
        return [
            "--set", "intercept.hosts=[\(hosts)]", "--set", "intercept.ca-directory=\(TOMLText.quoted(directory))",
        ]
    }

    /// What programs need besides the variables of all programs.
    func variables(_ endpoint: ProxyEndpoint, exceptions: String) -> ClientVariables {
        var result = ClientVariables()
        // Both take quotes around paths with spaces.
        let script = nodeScript.contains(" ") ? "\"\(nodeScript)\"" : nodeScript
        let store = "-Djavax.net.ssl.trustStore=\(javaStore)"
        result["NODE_OPTIONS"] = "--require \(script)"
        result["JAVA_TOOL_OPTIONS"] =
            ClientVariables.javaOptions(endpoint, exceptions: exceptions)
            + " \(store.contains(" ") ? "'\(store)'" : store) -Djavax.net.ssl.trustStoreType=JKS"
        return result
    }

    /// The patterns of a list; commas between braces belong to a pattern.
    static func patterns(in list: String) -> [String] {
        var patterns = [""]
        var depth = 0
        for character in list {
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            if character == ",", depth <= 0 {
                patterns.append("")
            } else {
                patterns[patterns.count - 1].append(character)
            }
        }
        return patterns.filter { !$0.isEmpty }
    }

    /// The hosts to which patterns limit the CA; none if one of them has no end that is a name.
    static func permitted(_ patterns: [String]) throws(CommandFailure) -> [PermittedHost] {
        var hosts: [PermittedHost] = []
        for pattern in patterns {
            for host in try Self.hosts(pattern) {
                let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
                if let range = AddressRange(text: bare) {
                    hosts.append(.addresses(base: range.base.bytes, prefixLength: range.prefixLength))
                    continue
                }
                let labels = bare.split(separator: ".", omittingEmptySubsequences: false)
                let star = labels.lastIndex { $0.contains("*") }
                let name = labels[(star.map { $0 + 1 } ?? 0)...].joined(separator: ".")
                guard let server = ServerName(host: Array(name.utf8)), !server.isAddress else { return [] }
                hosts.append(.name(server.description))
            }
        }
        return hosts
    }

    private static func hosts(_ pattern: String) throws(CommandFailure) -> [String] {
        do throws(URLGlob.SyntaxError) {
            return try HostPattern(pattern).hosts
        } catch {
            throw CommandFailure(
                "`--intercept` has a wrong pattern \(Console.printable(pattern)): \(error.userMessage)",
                exitCode: 2
            )
        }
    }
}
