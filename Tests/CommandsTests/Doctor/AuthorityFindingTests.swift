import CommandSyntax
import Eventing
import HTTPCore
import Platform
import Settings
import TestSupport
import Testing
import TransportSecurity

@testable import Commands

/// What `respite doctor` says of the CA for intercepted hosts, and of files of further CAs.
@Suite struct AuthorityFindingTests {
    private let directory = TemporaryDirectory()

    /// The findings with settings that no daemon can be asked for.
    private func findings(_ text: String) throws -> [Finding] {
        var reader = SettingsReader()
        reader.read(Array("admin = []\n\(text)".utf8), name: "respite.toml")
        let command = try ParsedCommand.parse(["doctor"])
        let context = ProcessContext(environment: [:], isRoot: false)
        return TrustChecks.ofSettings(DoctorContext(command, try reader.finish().values, context))
    }

    private var intercepting: String {
        "[intercept]\nhosts = [\"a.example\"]\nca-directory = \"\(directory.path("ca"))\"\n"
    }

    @Test(
        "a CA that ends within 30 days is a note; one that is valid for longer is all right",
        arguments: [(1, "0 days", false), (2, "1 day", false), (30, "29 days", false), (31, "30 days", true)]
    )
    func days(days: Int, left: String, isWell: Bool) throws {
        // An hour is gone already.
        let start = HTTPDate(seconds: HTTPDate.now.seconds - 3600)
        let files = AuthorityFiles(directory: directory.path("ca"))
        try files.write(try CertificateAuthority.make(name: "Lab", days: days, at: start), replaces: false)
        let seen = "\(files.certificateFile) is valid for \(left)"
        let expected =
            isWell ? Finding.ok("CA", seen) : .note("CA", seen, "make a new one: `respite ca create --force`")
        #expect(try findings(intercepting) == [expected])
        #expect(try findings("") == [])
    }

    @Test("interception without a CA, or without a directory for it, is a fault")
    func absent() throws {
        let none = try #require(try findings(intercepting).first)
        #expect(none.subject == "CA" && none.verdict == .fault)
        #expect(none.remedy == "`respite ca create` makes one, and `respite ca trust` lets programs trust it")
        #expect(
            try findings("intercept.hosts = [\"a.example\"]") == [
                .fault("CA", "HOME is not set, so there is no directory for it", "set `intercept.ca-directory`")
            ]
        )
    }

    @Test("a file of `tls.ca-files` that has no certificate, or cannot be read, is a fault")
    func files() throws {
        try directory.write("-----BEGIN CERTIFICATE-----\n", to: "good")
        try directory.write("text", to: "bad")
        let paths = ["good", "bad", "none"].map { directory.path($0) }
        let found = try findings("tls.ca-files = [\(paths.map { "\"\($0)\"" }.joined(separator: ", "))]")
        #expect(
            found == [
                .fault("trust", "`tls.ca-files` has \(paths[1]): it has no certificate", "correct it"),
                .fault("trust", "`tls.ca-files` has \(paths[2]): No such file or directory", "correct it"),
            ]
        )
    }
}
