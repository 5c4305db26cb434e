import Glibc
import JSON
import TestSupport
import Testing

/// What `respite ca create`, `show` and `export` print.
struct AuthorityTextTests {
    private let home = TemporaryDirectory()
    private var certificateFile: String { home.path("ca/ca.pem") }
    private var keyFile: String { home.path("ca/ca.key") }

    private func run(_ words: [String]) throws -> Command.Outcome {
        try Command.run(
            [DaemonProcess.executable, "ca"] + words + ["--ca-directory", home.path("ca")],
            environment: DaemonProcess.environment(home)
        )
    }

    /// What people are shown of the CA that is there; fingerprint and dates are what programs are shown.
    private func rows(_ name: String, _ hosts: String) throws -> String {
        let document = try JSONReader.parse(Array(try run(["show", "--json"]).output.utf8))
        func text(_ member: String) throws -> String { try #require(document[member]?.text) }
        return """
            name\t\(name)
            SHA-256\t\(try text("fingerprint"))
            valid for\t\(hosts)
            valid from\t\(try text("notBefore"))
            valid until\t\(try text("notAfter"))
            certificate\t\(certificateFile)
            key\t\(keyFile)

            """
    }

    private static let start =
        "No program trusts this CA yet, and Respite intercepts only the hosts in `intercept.hosts`. Keep "

    @Test("a new CA is shown, with a warning of what its key can do, and how that is limited")
    func everyHost() throws {
        let made = try run(["create", "--name", "Lab"])
        #expect(made.status == 0)
        #expect(try made.output == rows("Lab", "every host"))
        #expect(
            made.errors == Self.start + "\(keyFile) secret: with it, anybody can impersonate any site to programs that "
                + "trust the CA. With `--for HOST…` a CA is valid only for the hosts you name.\n"
        )
        let shown = try run(["show"])
        #expect(shown.status == 0 && shown.output == made.output && shown.errors.isEmpty)
    }

    @Test("the hosts that limit a CA are shown, and the warning is of these alone")
    func namedHosts() throws {
        let made = try run(["create", "--name", "Lab", "--for", "a.example", "--for", "10.0.0.0/8"])
        #expect(made.status == 0)
        #expect(try made.output == rows("Lab", "a.example, 10.0.0.0/8"))
        #expect(
            made.errors == Self.start + "\(keyFile) secret: with it, anybody can impersonate these hosts to programs "
                + "that trust the CA.\n"
        )
        #expect(try run(["show"]).output == made.output)
    }

    @Test("programs get JSON alone, and no warning")
    func programs() throws {
        let made = try run(["create", "--json"])
        #expect(made.status == 0 && made.errors.isEmpty && made.output.hasPrefix("{\"name\":\"Respite local CA ("))
        #expect(try run(["show", "--json"]).output == made.output)
    }

    @Test("where no CA is, show and export name the directory and the remedy")
    func absent() throws {
        for words in [["show"], ["show", "--json"], ["export"]] {
            let outcome = try run(words)
            #expect(outcome.status == 3 && outcome.output.isEmpty)
            #expect(outcome.errors == "respite: there is no CA in \(home.path("ca")); `respite ca create` makes one\n")
        }
    }

    @Test("a CA that is there stays, and its key is named")
    func present() throws {
        #expect(try run(["create"]).status == 0)
        let first = try readFile(certificateFile)
        let outcome = try run(["create"])
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(
            outcome.errors == "respite: \(keyFile) is there already; `--force` puts another CA in its place, which "
                + "those who trust this one do not trust\n"
        )
        #expect(try readFile(certificateFile) == first)
    }

    @Test("a CA that cannot be used is shown all the same, with the reason behind it")
    func unusable() throws {
        #expect(try run(["create", "--name", "Lab"]).status == 0)
        #expect(chmod(keyFile, 0o644) == 0)
        let reason =
            "\(keyFile) can be read by everybody, or written by others than its owner; `chmod 600` it, and if others "
            + "have seen it, make another CA by `respite ca create --force`"
        let shown = try run(["show"])
        #expect(shown.status == 1 && shown.errors == "respite: \(reason)\n")
        #expect(try shown.output == rows("Lab", "every host"))
        let document = try run(["show", "--json"])
        #expect(document.status == 1 && document.errors == shown.errors)
        #expect(try JSONReader.parse(Array(document.output.utf8))["fault"] == .text(reason))
    }

    @Test("without --out the certificate goes to standard output, as PEM unless DER is asked for")
    func export() throws {
        #expect(try run(["create"]).status == 0)
        let certificate = String(decoding: try readFile(certificateFile), as: UTF8.self)
        for options in [[], ["--format", "pem"]] {
            let outcome = try run(["export"] + options)
            #expect(outcome.status == 0 && outcome.output == certificate && outcome.errors.isEmpty)
        }
        let binary = try run(["export", "--format", "der"])
        #expect(binary.status == 0 && !binary.output.contains("BEGIN") && !binary.output.isEmpty)
        let unwritable = home.path("none/out.pem")
        let failed = try run(["export", "--out", unwritable])
        #expect(failed.status == 1 && failed.output.isEmpty)
        #expect(failed.errors == "respite: \(unwritable) cannot be written: No such file or directory\n")
    }
}
