import CLinux
import Glibc
import JSON
import Settings
import TestSupport
import Testing

@testable import Commands

/// `respite doctor` where all is well, and in situations that are really broken.
struct DoctorTests {
    /// Options by which the name that is looked up needs no name server.
    static let knownName = ["--set", "hosts={\"example.com\"=[\"127.0.0.1\"]}"]

    private struct Found: Equatable {
        var verdict: String
        var seen: String
        var remedy: String?
    }

    private struct Report {
        var status: Int32
        var findings: [String: [Found]] = [:]

        /// The faults of one subject.
        func faults(_ subject: String) -> [Found] { (findings[subject] ?? []).filter { $0.verdict == "fault" } }

        /// Whether a fault of the subject says this, and what to do.
        func blames(_ subject: String, _ seen: String, _ remedy: String) -> Bool {
            status == 1
                && faults(subject).contains { $0.seen.contains(seen) && $0.remedy?.contains(remedy) == true }
        }
    }

    /// Runs the doctor, behind `prefix` if that is given.
    private static func examine(
        _ words: [String],
        _ home: TemporaryDirectory,
        prefix: [String] = [],
        environment: [String] = []
    ) throws -> Report {
        let all = prefix + [DaemonProcess.executable, "doctor", "--json"] + words
        let outcome = try Command.run(all, environment: DaemonProcess.environment(home) + environment)
        #expect(outcome.errors.isEmpty, "\(outcome)")
        var report = Report(status: outcome.status)
        for one in try JSONReader.parse(Array(outcome.output.utf8))["findings"]?.elements ?? [] {
            let found = Found(
                verdict: one["verdict"]?.text ?? "",
                seen: one["seen"]?.text ?? "",
                remedy: one["remedy"]?.text
            )
            report.findings[one["subject"]?.text ?? "", default: []].append(found)
        }
        return report
    }

    /// Options of a daemon that does not run, with a store that is not there.
    private static func absent(_ home: TemporaryDirectory) throws -> [String] {
        [
            "--admin", "127.0.0.1:\(try unusedPort())", "--listen", "127.0.0.1:\(try unusedPort())", "--store",
            home.path + "/store",
        ] + knownName
    }

    private static func here(_ daemon: DaemonProcess) -> [String] {
        ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath] + knownName
    }

    /// Words that run a program with parts of the system of its own; nil if this user cannot do that.
    private static func apart(_ words: [String]) -> [String]? {
        let outcome = try? Command.run(words + ["true"])
        return outcome?.status == 0 ? words : nil
    }

    // MARK: All is well

    @Test("where a daemon runs and this shell uses it, nothing is wrong, and the exit code is 0")
    func healthy() throws {
        let daemon = try DaemonProcess()
        let variables = ["http_proxy", "https_proxy"].map { "\($0)=http://127.0.0.1:\(daemon.port)" }
        let report = try Self.examine(Self.here(daemon), daemon.home, environment: variables)
        #expect(
            report.status == 0 && report.findings.values.allSatisfy { $0.allSatisfy { $0.verdict != "fault" } },
            "\(report)"
        )
        for subject in ["settings", "admin", "proxy", "store", "space", "clock", "trust", "DNS", "secrets"] {
            #expect(report.findings[subject]?.map(\.verdict) == ["ok"], "\(subject): \(report)")
        }
        #expect(report.findings["variables"]?.map(\.verdict) == ["ok", "ok"])
        #expect(Set(report.findings.keys).isSuperset(of: ["IPv6", "systemd"]))
    }

    @Test("without --json a line has the verdict, the subject, what was seen and what to do")
    func lines() throws {
        let home = TemporaryDirectory()
        let words = [DaemonProcess.executable, "doctor"] + (try Self.absent(home))
        let outcome = try Command.run(words, environment: DaemonProcess.environment(home))
        #expect(outcome.status == 1)
        for line in outcome.output.split(separator: "\n") {
            #expect(line.split(separator: "\t").count == 4, "\(line)")
        }
        #expect(outcome.output.contains("ok\tsettings\tthey are valid\t-\n"))
    }

    // MARK: Settings and ports

    @Test("settings that are wrong are told, and what needs none is examined")
    func settings() throws {
        let home = TemporaryDirectory()
        let report = try Self.examine(["--config", try home.write("lops = 1\n", to: "wrong.toml")], home)
        #expect(report.blames("settings", "lops", "`respite config check`"), "\(report)")
        #expect(report.findings["clock"]?.isEmpty == false && report.findings["store"] == nil)
    }

    @Test("a port that another program has is told with that program, for clients and for administrators")
    func ports() throws {
        let other = try ScriptedOrigin { try $0.reply("200 OK", [], body: "another program") }
        let home = TemporaryDirectory()
        let admin = try ScriptedOrigin { try $0.reply("200 OK", [], body: "{}") }
        let addresses = ["--listen", "127.0.0.1:\(other.port)", "--admin", "127.0.0.1:\(admin.port)"]
        let report = try Self.examine(addresses + ["--store", home.path + "/store"] + Self.knownName, home)
        #expect(report.blames("proxy", "another program has \(addresses[1]): ", "`listen`"), "\(report)")
        #expect(report.blames("admin", "another program has \(addresses[3]): ", "`admin`"), "\(report)")
        #expect(report.blames("admin", ", process \(getpid())", "stop it"), "\(report)")
    }

    @Test("a daemon that does not run is told, and that its port is free; another's daemon is told, too")
    func noDaemon() throws {
        let home = TemporaryDirectory()
        let report = try Self.examine(try Self.absent(home), home)
        #expect(report.blames("admin", "no daemon answers at ", "`respite serve`"), "\(report)")
        #expect(report.findings["proxy"]?.first?.seen.contains("is free") == true)
        let daemon = try DaemonProcess()
        let listen = ["--listen", "127.0.0.1:\(daemon.port)"]
        let other = try Self.examine(listen + Array(try Self.absent(home).drop { $0 != "--store" }), home)
        #expect(other.blames("proxy", "another Respite has 127.0.0.1:\(daemon.port)", "`--admin`"), "\(other)")
    }

    @Test("a token that the daemon does not accept is told")
    func token() throws {
        let daemon = try DaemonProcess()
        let wrong = try daemon.home.write("wrong\n", to: "other-token")
        chmod(wrong, 0o600)
        let report = try Self.examine(Self.here(daemon) + ["--token-file", wrong], daemon.home)
        #expect(report.blames("admin", "does not accept the token", "`--token-file FILE`"), "\(report)")
    }

    // MARK: The store

    @Test("a store that is a file, or whose index is no database, is told")
    func store() throws {
        let home = TemporaryDirectory()
        let words = try Self.absent(home)
        #expect(try Self.examine(words, home).findings["store"]?.map(\.verdict) == ["note"])
        _ = try home.write("", to: "store")
        #expect(try Self.examine(words, home).blames("store", "is no directory", "`storage.directory`"))
        unlink(home.path + "/store")
        mkdir(home.path + "/store", 0o700)
        #expect(try Self.examine(words, home).findings["store"]?.map(\.verdict) == ["ok"])
        _ = try home.write("no database at all", to: "store/cache.db")
        #expect(try Self.examine(words, home).blames("store", "cache.db is damaged", "start the daemon"))
    }

    @Test(
        "a store of another user, and one that cannot be written, is told",
        .enabled(if: geteuid() != 0 || apart(["setpriv", "--reuid=65534"]) != nil, "needs a user who is not root")
    )
    func foreignStore() throws {
        let home = TemporaryDirectory()
        chmod(home.path, 0o755)
        let words = try Self.absent(home)
        let nobody = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : []
        let missing = try Self.examine(words, home, prefix: nobody)
        #expect(
            geteuid() != 0 || missing.blames("store", "\(home.path) cannot be written", "`storage.directory`"),
            "\(missing)"
        )
        let store = home.path + "/store"
        mkdir(store, 0o755)
        let foreign = try Self.examine(words, home, prefix: nobody)
        #expect(geteuid() != 0 || foreign.blames("store", "belongs to user 0", "`storage.directory`"), "\(foreign)")
        if geteuid() == 0 { chown(store, 65534, 65534) }
        chmod(store, 0o555)
        #expect(
            try Self.examine(words, home, prefix: nobody).blames("store", "cannot be written", "chmod 700 \(store)")
        )
        chmod(store, 0o700)
    }

    @Test("root may look at what the user of a service owns", .enabled(if: geteuid() == 0, "needs root"))
    func service() throws {
        let home = TemporaryDirectory()
        let words = try Self.absent(home)
        mkdir(home.path + "/store", 0o700)
        let token = try home.write("token\n", to: "store/admin-token")
        chmod(token, 0o600)
        for path in [token, home.path + "/store"] { chown(path, 65534, 65534) }
        let report = try Self.examine(words, home)
        #expect(report.findings["store"]?.map(\.verdict) == ["note"] && report.faults("secrets").isEmpty, "\(report)")
        chmod(home.path + "/store", 0o777)
        #expect(try !Self.examine(words, home).faults("secrets").isEmpty)
    }

    private static let smallDisk = apart([
        "unshare", "--mount", "sh", "-c", "mount -t tmpfs none /mnt; exec \"$@\"", "sh",
    ])

    @Test("a disk without room is told", .enabled(if: smallDisk != nil, "needs the right to mount"))
    func space() throws {
        let home = TemporaryDirectory()
        let mount = "mount -t tmpfs -o size=1m none '\(home.path)'; exec \"$@\""
        let report = try Self.examine(
            try Self.absent(home),
            home,
            prefix: ["unshare", "--mount", "sh", "-c", mount, "sh"]
        )
        #expect(report.blames("space", "1.0 MiB free at \(home.path)/store", "free some"), "\(report)")
    }

    @Test("a store from the future is told: the clock is wrong, or was")
    func clock() throws {
        let home = TemporaryDirectory()
        mkdir(home.path + "/store", 0o700)
        let index = try home.write("SQLite format 3\0", to: "store/cache.db")
        #expect(try Command.run(["touch", "-d", "2 days", index]).status == 0)
        let report = try Self.examine(try Self.absent(home), home)
        #expect(report.blames("clock", "\(index) was written on ", "set the clock"), "\(report)")
    }

    // MARK: The machine

    @Test("files of CAs that are missing or have no certificate are told, from variables and from settings")
    func trust() throws {
        let home = TemporaryDirectory()
        let words = try Self.absent(home)
        let variable = try Self.examine(words, home, environment: ["SSL_CERT_FILE=\(home.path)/none"])
        #expect(
            variable.blames("trust", "SSL_CERT_FILE names \(home.path)/none: No such file", "unset SSL_CERT_FILE"),
            "\(variable)"
        )
        let empty = try home.write("no certificate", to: "ca.pem")
        let setting = try Self.examine(words, home, environment: ["CURL_CA_BUNDLE=\(empty)"])
        #expect(setting.blames("trust", "\(empty): it has no certificate", "correct it"), "\(setting)")
    }

    private static let withoutCertificates = apart([
        "unshare", "--mount", "sh", "-c", "mount -t tmpfs none /etc/ssl; exec \"$@\"", "sh",
    ])

    @Test("a system without CAs is told", .enabled(if: withoutCertificates != nil, "needs the right to mount"))
    func noCertificates() throws {
        let home = TemporaryDirectory()
        let report = try Self.examine(try Self.absent(home), home, prefix: Self.withoutCertificates ?? [])
        #expect(report.blames("trust", "ca-certificates.crt is not there", "ca-certificates"), "\(report)")
    }

    @Test("interception without a CA is told; with one it is well")
    func authority() throws {
        let home = TemporaryDirectory()
        let place = ["--set", "intercept.ca-directory='\(home.path)/ca'"]
        let words = try Self.absent(home) + place + ["--set", "intercept.hosts=['a.example']"]
        let without = try Self.examine(words, home)
        #expect(without.blames("CA", "\(home.path)/ca", "`respite ca create`"), "\(without)")
        #expect(without.blames("settings", "`intercept.hosts` needs a CA", "config check"), "\(without)")
        let made = try Command.run(
            [DaemonProcess.executable, "ca", "create"] + place,
            environment: DaemonProcess.environment(home)
        )
        #expect(made.status == 0, "\(made)")
        #expect(try Self.examine(words, home).findings["CA"]?.map(\.verdict) == ["ok"])
    }

    @Test("name servers that do not answer are told")
    func names() throws {
        let home = TemporaryDirectory()
        let port = try unusedPort()
        let words = try Self.absent(home).dropLast(2) + ["--set", "dns.servers=['127.0.0.1:\(port)']"]
        let report = try Self.examine(Array(words), home)
        #expect(report.blames("DNS", "no name server answers for example.com", "`dns.servers`"), "\(report)")
    }

    private static let withoutNetwork = apart(["unshare", "--net"])

    @Test(
        "an IPv6 listener without IPv6 is told",
        .enabled(if: withoutNetwork != nil, "needs the right to leave the network")
    )
    func ipv6() throws {
        let home = TemporaryDirectory()
        let words = try Self.absent(home) + ["--listen", "[::1]:3128"]
        let report = try Self.examine(words, home, prefix: Self.withoutNetwork ?? [])
        #expect(report.blames("IPv6", "`listen` has [::1]:3128", "enable IPv6"), "\(report)")
    }

    @Test("a secret that others may read, or replace, is told")
    func secrets() throws {
        let home = TemporaryDirectory()
        mkdir(home.path + "/store", 0o700)
        let token = try home.write("token\n", to: "store/admin-token")
        let words = try Self.absent(home)
        chmod(token, 0o644)
        #expect(try Self.examine(words, home).blames("secrets", "\(token) has mode 644", "chmod 600 \(token)"))
        chmod(token, 0o600)
        #expect(try Self.examine(words, home).faults("secrets").isEmpty)
        chmod(home.path + "/store", 0o777)
        #expect(try Self.examine(words, home).blames("secrets", "everybody may write into the directory", "go-w"))
    }

    // MARK: This shell

    @Test(
        "variables that lead to nobody, differ or except every host are told, without passwords",
        arguments: [
            (
                ["http_proxy=http://u:secret@127.0.0.1:1"], "http_proxy=http://…@127.0.0.1:1 leads to nobody",
                "respite env"
            ),
            (["http_proxy=127.0.0.1:1", "HTTP_PROXY=127.0.0.1:2"], "http_proxy and HTTP_PROXY differ", "respite env"),
            (["HTTPS_PROXY=http://127.0.0.1:1/", "NO_PROXY=a,*"], "no_proxy has *", "unset no_proxy"),
        ]
    )
    func variables(environment: [String], seen: String, remedy: String) throws {
        let home = TemporaryDirectory()
        let report = try Self.examine(try Self.absent(home), home, environment: environment)
        #expect(report.blames("variables", seen, remedy), "\(report)")
        #expect(!"\(report)".contains("secret@"))
    }

    @Test("a service that does not stay up is told, with where its reason is")
    func unit() throws {
        let home = TemporaryDirectory()
        let state = "LoadState=loaded\\nActiveState=activating\\nSubState=auto-restart\\nResult=exit-code\\n"
        let program = try home.write("#!/bin/sh\nprintf '\(state)'\n", to: "systemctl")
        chmod(program, 0o755)
        let prefix = ["env", "PATH=\(home.path):/usr/bin:/bin"]
        let report = try Self.examine(try Self.absent(home), home, prefix: prefix)
        #expect(report.blames("systemd", "does not stay up: exit-code", "journalctl -u respite"), "\(report)")
    }
}
