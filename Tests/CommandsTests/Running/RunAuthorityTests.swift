import CommandSyntax
import Eventing
import Glibc
import HTTPCore
import Platform
import Settings
import TestSupport
import Testing
import TransportSecurity

@testable import Commands

/// The CA of one command.
@Suite struct RunAuthorityTests {
    private let home = TemporaryDirectory()

    private func make(_ option: String, _ directory: RunDirectory) throws -> RunAuthority {
        let command = try ParsedCommand.parse(["run", option, "--config", "/dev/null", "true"])
        return try RunAuthority(command, directory, environment)
    }

    private var environment: ProcessEnvironment {
        var environment = ProcessEnvironment()
        environment["TMPDIR"] = home.path
        return environment
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test("the key of a command's CA is its owner's alone, ends after a day, and is gone after the command")
    func lifetime() throws {
        let mask = umask(0)
        defer { umask(mask) }
        let directory = try RunDirectory(environment)
        let authority = try make("--intercept", directory)
        #expect(mode(directory.path) == 0o700 && mode(authority.directory) == 0o700)
        #expect(mode(authority.directory + "/ca.key") == 0o600)
        for name in ["java-trust.jks", "proxy.cjs"] { #expect(mode("\(directory.path)/\(name)") == 0o600) }
        let certificate = try AuthorityFiles(directory: authority.directory).load(at: HTTPDate.now).certificate
        // The test may take a while.
        #expect((86_000...86_400).contains(certificate.ends.seconds - HTTPDate.now.seconds))
        let tomorrow = HTTPDate(seconds: HTTPDate.now.seconds + 86_500)
        #expect(throws: AuthorityError.self) {
            try AuthorityFiles(directory: authority.directory).load(at: tomorrow)
        }
        directory.remove()
        #expect(!SmallFile.isNamed(directory.path) && SmallFile.names(in: home.path).isEmpty)
    }

    @Test("each command has a key of its own")
    func ownKeys() throws {
        let first = try make("--intercept", try RunDirectory(environment))
        let second = try make("--intercept", try RunDirectory(environment))
        let keys = try [first, second].map { try SmallFile.read($0.directory + "/ca.key", limit: 1 << 16) }
        #expect(keys[0] != keys[1])
    }

    @Test("where hosts are named the CA is good for no other one")
    func constraints() throws {
        let authority = try make("--intercept=*.a.example,b.example:8443", try RunDirectory(environment))
        #expect(authority.hosts == ["*.a.example", "b.example:8443"])
        let certificate = try AuthorityFiles(directory: authority.directory).loadCertificate()
        func permits(_ host: String) throws -> Bool {
            certificate.permits(try #require(ServerName(host: Array(host.utf8))))
        }
        #expect(try permits("x.a.example") && permits("b.example"))
        #expect(try !permits("c.example") && !permits("evilb.example") && !permits("192.0.2.1"))
    }

    @Test(
        "the hosts of patterns; a pattern without a name at its end limits nothing",
        arguments: [
            (["a.example"], [.name("a.example")]), (["*.A.example:*"], [.name("a.example")]),
            (["**.a.example", "b-*.c.example"], [.name("a.example"), .name("c.example")]),
            (["192.0.2.1:443"], [.addresses(base: [192, 0, 2, 1], prefixLength: 32)]),
            (["**"], []), (["a.example", "**"], []), (["*"], []), (["a.*"], []),
            (["{a,b}.example"], [.name("a.example"), .name("b.example")]),
        ] as [([String], [PermittedHost])]
    )
    func permitted(patterns: [String], hosts: [PermittedHost]) throws {
        #expect(try RunAuthority.permitted(patterns) == hosts)
    }

    @Test("a list is split at commas outside braces, and a wrong pattern is told before anything is made")
    func patterns() throws {
        #expect(RunAuthority.patterns(in: "{a,b}.example,,c.example") == ["{a,b}.example", "c.example"])
        let directory = try RunDirectory(environment)
        let fault = #expect(throws: CommandFailure.self) { try make("--intercept=a.example/path", directory) }
        #expect(fault?.exitCode == 2 && fault?.userMessage.contains("a.example/path") == true)
        #expect(SmallFile.names(in: directory.path).isEmpty)
    }

    @Test("a directory that others could replace holds no key")
    func foreignDirectory() throws {
        chmod(home.path, 0o777)
        let directory = try RunDirectory(environment)
        defer { directory.remove() }
        #expect(!directory.path.hasPrefix(home.path) && mode(directory.path) == 0o700)
    }

    @Test("the options of a path with a space are one option each")
    func spaces() throws {
        var environment = environment
        environment["TMPDIR"] = home.directory("a b")
        let command = try ParsedCommand.parse(["run", "--intercept", "--config", "/dev/null", "true"])
        let authority = try RunAuthority(command, try RunDirectory(environment), environment)
        let variables = authority.variables(try ProxyEndpoint(listeners: ["127.0.0.1:1"]), exceptions: "localhost,.b")
        let node = try #require(variables["NODE_OPTIONS"])
        #expect(node.hasPrefix("--require \"/") && node.hasSuffix("/proxy.cjs\""))
        let java = try #require(variables["JAVA_TOOL_OPTIONS"])
        #expect(
            java.contains(" '-Djavax.net.ssl.trustStore=/") && java.contains("nonProxyHosts=localhost|*.localhost|*.b")
        )
    }

    @Test(
        "--intercept stands alone, with hosts behind a sign, or as it was, before two dashes",
        arguments: [
            (["--intercept", "--", "curl", "u"], [], ["curl", "u"]),
            (["--intercept", "curl", "a.b"], [], ["curl", "a.b"]),
            (["--intercept=a.b,c.d", "curl"], ["a.b,c.d"], ["curl"]),
            (["--intercept", "*.a.b", "--", "curl"], ["*.a.b"], ["curl"]),
            (["--intercept", "a.b", "--quiet", "curl"], ["a.b"], ["curl"]),
            (["--intercept", "git", "log", "--", "f"], [], ["git", "log", "--", "f"]),
            (["--intercept", "./a.sh", "--", "f"], [], ["./a.sh", "--", "f"]),
        ] as [([String], [String], [String])]
    )
    func option(words: [String], hosts: [String], operands: [String]) throws {
        let command = try ParsedCommand.parse(["run"] + words)
        #expect(command.has("intercept") && command.values(of: "intercept") == hosts && command.operands == operands)
    }
}
