import JSON
import TestSupport
import Testing

/// What `respite ca trust` and `untrust` would do to a browser's database, and when a CA is not replaced.
///
/// A script stands in for `certutil`; nothing of this machine is changed.
struct TrustTextTests {
    private let home = TemporaryDirectory()

    init() throws {
        try home.write(
            "#!/bin/sh\ncat \"$HOME/database\" 2>/dev/null || { echo could not find it; exit 255; }\n",
            to: "certutil",
            mode: 0o700
        )
        _ = home.directory(".pki/nssdb")
        try home.write("", to: ".pki/nssdb/cert9.db")
        try #require(run("create").status == 0)
    }

    private func run(_ words: String...) throws -> Command.Outcome {
        try Command.run(
            ["env", "PATH=\(home.path):/usr/bin:/bin", DaemonProcess.executable, "ca"] + words
                + ["--ca-directory", home.path("ca")],
            environment: DaemonProcess.environment(home)
        )
    }

    private var database: String { home.path(".pki/nssdb") }

    private func certificate() throws -> [UInt8] { try readFile(home.path("ca/ca.pem")) }

    @Test("a CA that a store trusts is replaced only if it may be left behind there")
    func replacement() throws {
        let first = try certificate()
        try home.write(first, to: "database")
        let refused = try run("create", "--force")
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(
            refused.errors == "respite: the CA in \(home.path("ca/ca.pem")) is still trusted by \(database): "
                + "run `respite ca untrust` first, or accept that with `--leave-trusted`\n"
        )
        #expect(try certificate() == first)
        #expect(try run("create", "--force", "--leave-trusted").status == 0)
        let second = try certificate()
        #expect(second != first)
        // The database has the first one, not this.
        #expect(try run("create", "--force").status == 0)
        #expect(try certificate() != second)
    }

    @Test("without --force nothing is replaced, whatever is said of stores")
    func present() throws {
        let first = try certificate()
        let refused = try run("create", "--leave-trusted")
        #expect(refused.status == 1 && refused.errors.contains("--force"), "\(refused.errors)")
        #expect(try certificate() == first)
    }

    @Test("a dry run tells of each store whether it would change, and by which program")
    func dryRun() throws {
        let added = try run("trust", "--dry-run").output
        #expect(added.contains("\(database): would trust the CA\n  would run \(home.path)/certutil -A -d "), "\(added)")
        #expect(try run("untrust", "--dry-run").output.contains("\(database): does not trust the CA\n"))
        try home.write(try certificate(), to: "database")
        #expect(try run("trust", "--dry-run").output.contains("\(database): trusts the CA already\n"))
        let removed = try run("untrust", "--dry-run").output
        #expect(
            removed.contains("\(database): would trust the CA no longer\n  would run \(home.path)/certutil -D -d "),
            "\(removed)"
        )
    }

    @Test("programs get the outcome for each store, and its steps")
    func forPrograms() throws {
        func store(_ words: String...) throws -> JSONValue? {
            let outcome = try Command.run(
                ["env", "PATH=\(home.path):/usr/bin:/bin", DaemonProcess.executable, "ca"] + words
                    + ["--dry-run", "--json", "--ca-directory", home.path("ca")],
                environment: DaemonProcess.environment(home)
            )
            let document = try JSONReader.parse(Array(outcome.output.utf8))
            #expect(document["certificateFile"]?.text == home.path("ca/ca.pem"))
            return document["stores"]?.elements.first { $0["store"]?.text == database }
        }
        let added = try #require(try store("trust"))
        #expect(added["outcome"]?.text == "planned" && added["reason"] == nil)
        let step = added["steps"]?.elements.first?.text
        #expect(step?.hasPrefix("would run \(home.path)/certutil -A -d ") == true)
        #expect(added["steps"]?.elements.count == 1)
        let absent = try #require(try store("untrust"))
        #expect(absent["outcome"]?.text == "unchanged" && absent["steps"]?.elements.isEmpty == true)
    }
}
