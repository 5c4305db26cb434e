import Glibc
import JSON
import TestSupport
import Testing

/// What `respite ca trust` says of stores that it cannot change.
///
/// It only plans; nothing of this machine is changed. A script stands in for `trust`.
struct TrustNoteTests {
    private let home = TemporaryDirectory()

    init() throws {
        _ = home.directory("bin")
        try home.write("#!/bin/sh\nfor last; do :; done\n: >\"$last\"\n", to: "bin/trust", mode: 0o700)
        _ = home.directory(".pki/nssdb")
        try home.write("", to: ".pki/nssdb/cert9.db")
        try #require(run("create").status == 0)
    }

    /// Runs a command where `certutil` is not among the programs of the user.
    private func run(_ words: String...) throws -> Command.Outcome {
        try Command.run(
            ["env", "PATH=\(home.path("bin"))", DaemonProcess.executable, "ca"] + words
                + ["--ca-directory", home.path("ca")],
            environment: DaemonProcess.environment(home)
        )
    }

    private static let hasCertutil = ["/usr/sbin", "/sbin", "/usr/local/sbin"].contains {
        access("\($0)/certutil", X_OK) == 0
    }

    @Test(
        "databases of browsers that stay as they are for want of certutil are told, to people and programs",
        .disabled(if: hasCertutil, "certutil is where root's programs are")
    )
    func notes() throws {
        let note =
            "certutil (package libnss3-tools) is not installed: these databases stay as they are: "
            + home.path(".pki/nssdb")
        let told = try run("trust", "--dry-run")
        #expect(told.errors == "respite: \(note)\n")
        let document = try JSONReader.parse(Array(try run("trust", "--dry-run", "--json").output.utf8))
        #expect(document["notes"]?.elements.map(\.text) == [note])
        #expect(document["stores"]?.elements.count == 1)
    }
}
