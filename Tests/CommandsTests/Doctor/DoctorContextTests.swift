import CommandSyntax
import Glibc
import Platform
import Settings
import TestSupport
import Testing

@testable import Commands

/// How `respite doctor` finds the daemon, and what it says of secrets.
@Suite struct DoctorContextTests {
    private let home = TemporaryDirectory()

    private func context(
        _ port: UInt16,
        isRoot: Bool = false,
        _ change: (inout DaemonSettings) -> Void = { _ in }
    ) throws -> DoctorContext {
        var settings = DaemonSettings()
        settings.storage.directory = .directory(home.path)
        settings.intercept.caDirectory = home.path("ca")
        change(&settings)
        let words = ["--admin", "127.0.0.1:\(port)", "--config", "/dev/null", "--token-file", home.path("token")]
        let process = ProcessContext(environment: [:], isRoot: isRoot)
        return DoctorContext(try ParsedCommand.parse(["doctor"] + words), settings, process)
    }

    /// What is found where a server answers by a status and JSON.
    private func found(_ status: Int, _ json: String) throws -> (port: UInt16, context: DoctorContext) {
        let daemon = AnsweringOrigin { _ in .init(status, [("Content-Type", "application/json")], json) }
        return (daemon.port, try context(daemon.port))
    }

    // MARK: The daemon

    @Test("a daemon that answers is told with its version, and whether it is ready")
    func answers() throws {
        let ready = try found(200, #"{"version":"1.2","ready":true}"#)
        #expect(ready.context.search == [.ok("admin", "the daemon answers at 127.0.0.1:\(ready.port), version 1.2")])
        #expect(ready.context.status?["version"]?.text == "1.2")
        let unready = try found(200, #"{"version":"1.2","ready":false}"#)
        #expect(
            unready.context.search == [
                .fault(
                    "admin",
                    "the daemon answers at 127.0.0.1:\(unready.port), version 1.2, but is not ready",
                    "wait, or look at its log"
                )
            ]
        )
        #expect(unready.context.status != nil)
    }

    @Test("what is no daemon is told as another program", arguments: [(200, "{}"), (200, "text"), (500, "{}")])
    func foreign(status: Int, json: String) throws {
        let (port, context) = try found(status, json)
        let finding = try #require(context.search.first)
        #expect(context.search.count == 1 && context.status == nil && finding.verdict == .fault)
        #expect(finding.seen.hasPrefix("another program has 127.0.0.1:\(port)"), "\(finding)")
        #expect(finding.remedy == "stop it, or name another address by `admin`")
    }

    @Test("a token that is missing or refused, and a daemon that is none, are told with what to do")
    func absent() throws {
        let refused = try found(401, "{}").context
        #expect(
            refused.search == [
                .fault(
                    "admin",
                    "cannot read the token in \(home.path("token")): No such file or directory",
                    "name the daemon's token by `--token-file FILE`, or use sudo"
                )
            ]
        )
        let port = try unusedPort()
        #expect(
            try context(port).search == [
                .fault(
                    "admin",
                    "no daemon answers at 127.0.0.1:\(port)",
                    "start one with `respite serve`, or `systemctl start respite`"
                )
            ]
        )
        #expect(
            try context(port) { $0.admin = [] }.search == [
                .note("admin", "`admin` is empty, so no command can ask the daemon")
            ]
        )
    }

    // MARK: Secrets

    @Test(
        "a secret may be read by its group, but written and used by its owner alone",
        arguments: [(0o600, true), (0o640, true), (0o660, false), (0o604, false), (0o620, false)] as [(UInt32, Bool)]
    )
    func secrets(mode: UInt32, isRight: Bool) throws {
        let file = try home.write("secret", to: "secret.pem")
        chmod(file, mode)
        let context = try context(1) {
            $0.admin = []
            $0.tls.keyFile = file
        }
        let expected =
            isRight
            ? Finding.ok("secrets", "\(file): only for their owner")
            : .fault(
                "secrets",
                "\(file) has mode \(String(mode, radix: 8)), so others can use it",
                "chmod 600 \(file)"
            )
        #expect(SecretChecks.findings(context) == [expected])
    }

    @Test("where there are no secrets yet, that is said")
    func noSecrets() throws {
        #expect(SecretChecks.findings(try context(1) { $0.admin = [] }) == [.note("secrets", "there are none yet")])
    }

    /// What is found of a secret in a directory below the home.
    private func findings(_ file: String, isRoot: Bool) throws -> [Finding] {
        let context = try context(1, isRoot: isRoot) {
            $0.admin = []
            $0.tls.keyFile = file
        }
        return SecretChecks.findings(context)
    }

    private static func replaceable(_ file: String, _ reason: String) -> Finding {
        .fault("secrets", "\(file): \(reason)", "let only its owner write there: chmod go-w")
    }

    @Test("a directory of our own where everybody may write is a fault, for root too", arguments: [false, true])
    func openDirectory(isRoot: Bool) throws {
        let directory = home.directory("open")
        let file = try home.write("secret", to: "open/secret.pem")
        let well = Finding.ok("secrets", "\(file): only for their owner")
        for (mode, isRight) in [(0o777, false), (0o702, false), (0o1777, true), (0o775, true)] as [(UInt32, Bool)] {
            chmod(directory, mode)
            let fault = Self.replaceable(file, "everybody may write into the directory \(directory)")
            #expect(try findings(file, isRoot: isRoot) == [isRight ? well : fault], "\(String(mode, radix: 8))")
        }
    }

    @Test(
        "root may look at what the user of a service owns alone",
        .enabled(if: geteuid() == 0, "needs root"),
        arguments: [
            (0o755, true, true), (0o700, true, true), (0o755, false, false), (0o775, true, false), (0o757, true, false),
        ] as [(UInt32, Bool, Bool)]
    )
    func serviceDirectory(mode: UInt32, isRoot: Bool, isRight: Bool) throws {
        let directory = home.directory("service")
        let file = try home.write("secret", to: "service/secret.pem")
        chown(directory, 65534, 65534)
        chmod(directory, mode)
        let fault = Self.replaceable(file, "the directory \(directory) belongs to user 65534")
        let well = Finding.ok("secrets", "\(file): only for their owner")
        #expect(try findings(file, isRoot: isRoot) == [isRight ? well : fault])
    }

    @Test("each secret is looked at; one that cannot be read is told with the system's reason")
    func eachSecret() throws {
        _ = home.directory("ca")
        let files = try ["admin-token", "read-token", "logins", "key.pem", "ca/ca.key"].map { name in
            try home.write("secret", to: name)
        }
        func findings() throws -> [Finding] {
            let context = try context(1) {
                $0.admin = []
                $0.adminReadTokenFile = files[1]
                $0.access.loginFile = files[2]
                $0.tls.keyFile = files[3]
            }
            return SecretChecks.findings(context)
        }
        #expect(try findings() == [.ok("secrets", "\(files.joined(separator: ", ")): only for their owner")])
        chmod(files[2], 0o644)
        #expect(unlink(files[3]) == 0 && symlink("/nonexistent", files[3]) == 0)
        #expect(
            try findings() == [
                .fault("secrets", "\(files[2]) has mode 644, so others can use it", "chmod 600 \(files[2])"),
                .fault("secrets", "\(files[3]): No such file or directory", "let this user read it, or use sudo"),
            ]
        )
    }
}
