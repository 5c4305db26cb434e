import Eventing
import HTTPCore
import Platform
import Settings
import TestSupport
import Testing
import TransportSecurity

@testable import Commands

/// `respite ca create`, `show` and `export`.
@Suite struct AuthorityCommandTests {
    private func run(_ words: String, _ directory: TemporaryDirectory, _ more: [String] = []) -> Int32 {
        let settings = (try? directory.write("", to: "none.toml")) ?? ""
        return EntryPoint.withoutDaemon.run(
            words.split(separator: " ").map(String.init) + ["--config", settings, "--ca-directory", directory.path("")]
                + more
        )
    }

    @Test("a CA is made once, shown, and replaced only by force")
    func create() throws {
        let directory = TemporaryDirectory()
        let files = AuthorityFiles(directory: directory.path(""))
        #expect(run("ca show", directory) == 3)
        #expect(run("ca export", directory) == 3)
        #expect(run("ca create --name Lab --days 3", directory) == 0)
        let first = try files.load(at: HTTPDate.now).certificate
        #expect(first.name == "Lab")
        #expect((2...3).contains((first.ends.seconds - HTTPDate.now.seconds) / 86_400))
        #expect(run("ca show", directory) == 0)
        #expect(run("ca create", directory) == 1)
        #expect(try files.loadCertificate().fingerprint == first.fingerprint)
        #expect(run("ca create --force --json", directory) == 0)
        let second = try files.load(at: HTTPDate.now).certificate
        #expect(second.fingerprint != first.fingerprint && second.name.hasPrefix("Respite local CA ("))
    }

    @Test("without more words a CA is valid for two years and good for every host; `--for` limits it, and show tells")
    func constraints() throws {
        let directory = TemporaryDirectory()
        let files = AuthorityFiles(directory: directory.path(""))
        #expect(run("ca create", directory) == 0)
        let first = try files.loadCertificate()
        #expect((729...730).contains(first.daysLeft(at: HTTPDate.now)) && first.constraints == nil)
        let words = "ca create --force --for com.Example --for *.corp.example --for 10.0.0.0/8 --for [fd00::1]"
        #expect(run(words, directory) == 0)
        let second = try files.loadCertificate()
        let texts = ["com.example", "corp.example", "10.0.0.0/8", "fd00:0:0:0:0:0:0:1/128"]
        #expect(second.constraints?.texts == texts)
        let report = String(decoding: try AuthorityReport(files).json, as: UTF8.self)
        #expect(report.contains("\"hosts\":[\"com.example\",\"corp.example\""))
        for (host, isPermitted) in [
            ("com.example", true), ("a.b.com.example", true), ("badcom.example", false), ("com", false),
            ("x.corp.example", true), ("10.200.0.1", true), ("11.0.0.1", false), ("[fd00::1]", true),
            ("[fd00::2]", false),
        ] {
            let name = try #require(ServerName(host: Array(host.utf8)))
            #expect(second.permits(name) == isPermitted && first.permits(name), "\(host)")
        }
    }

    @Test("a CA has a name of 1 to 64 characters, and is valid for 1 to 7300 days")
    func limits() throws {
        let directory = TemporaryDirectory()
        let files = AuthorityFiles(directory: directory.path(""))
        let name = String(repeating: "a", count: 64)
        #expect(run("ca create --days 7301", directory) == 2)
        #expect(run("ca create --name \(name)a", directory) == 2)
        #expect(run("ca show", directory) == 3)
        #expect(run("ca create --days 1 --name \(name)", directory) == 0)
        let shortest = try files.loadCertificate()
        #expect(shortest.name == name && (0...1).contains(shortest.daysLeft(at: HTTPDate.now)))
        #expect(run("ca create --force --days 7300 --name a", directory) == 0)
        let longest = try files.loadCertificate()
        #expect(longest.name == "a" && (7299...7300).contains(longest.daysLeft(at: HTTPDate.now)))
    }

    @Test("the report for programs has name, fingerprint, times and files")
    func report() throws {
        let directory = TemporaryDirectory()
        #expect(run("ca create --name Lab", directory) == 0)
        let files = AuthorityFiles(directory: directory.path(""))
        let certificate = try files.loadCertificate()
        func text(_ date: HTTPDate) -> String { String(decoding: date.bytes, as: UTF8.self) }
        #expect(
            String(decoding: try AuthorityReport(files).json, as: UTF8.self) == """
                {"name":"Lab","fingerprint":"\(certificate.fingerprintText)","notBefore":"\(text(certificate.begins))",\
                "notAfter":"\(text(certificate.ends))","certificateFile":"\(files.certificateFile)",\
                "keyFile":"\(files.keyFile)"}

                """
        )
    }

    @Test("a CA that cannot be used is shown, and a failure")
    func unusable() throws {
        let directory = TemporaryDirectory()
        #expect(run("ca create", directory) == 0)
        _ = try directory.write("", to: "ca.key", mode: 0o644)
        #expect(run("ca show", directory) == 1)
        let files = AuthorityFiles(directory: directory.path(""))
        let report = try AuthorityReport(files)
        #expect(report.fault == .tooOpen(keyFile: files.keyFile))
        #expect(String(decoding: report.json, as: UTF8.self).contains("\"fault\":"))
        #expect(run("ca export", directory, ["--out", directory.path("public.pem")]) == 0)
    }

    @Test("its certificate is exported in both forms and behind those the system trusts, never its key")
    func export() throws {
        let directory = TemporaryDirectory()
        #expect(run("ca create", directory) == 0)
        let files = AuthorityFiles(directory: directory.path(""))
        let certificate = try files.loadCertificate()
        let out = directory.path("out")
        #expect(run("ca export", directory, ["--out", out]) == 0)
        #expect(try SmallFile.read(out, limit: 1 << 20) == certificate.pem)
        #expect(run("ca export --format der", directory, ["--out", out]) == 0)
        #expect(try SmallFile.read(out, limit: 1 << 20) == certificate.der)
        guard let system = SystemTrust.bundleFile else { return }
        #expect(run("ca export --bundle", directory, ["--out", out]) == 0)
        let bundle = try SmallFile.read(out, limit: 16 << 20)
        #expect(bundle == certificate.appended(toBundle: try SmallFile.read(system, limit: 16 << 20)))
        #expect(!String(decoding: bundle, as: UTF8.self).contains("PRIVATE KEY"))
    }

    @Test(
        "wrong usage is 2",
        arguments: [
            "ca create --for **", "ca create --for a..example", "ca create --for 10.0.0.1/8",
            "ca create --for https://a.example/",
            "ca create --days 0", "ca create --days many", "ca create --name=", "ca export --format p12",
            "ca export --format der --bundle", "ca frob", "ca create extra",
        ]
    )
    func wrongUsage(words: String) throws {
        let directory = TemporaryDirectory()
        #expect(run(words, directory) == 2)
        #expect(run("ca show", directory) == 3)
    }
}
