import Glibc
import JSON
import TestSupport
import Testing

/// `respite ca trust` and `untrust` where they change a browser's database, and where they may change nothing.
///
/// Scripts stand in for `certutil` and `trust`. Nothing of this machine is changed: the directory of the system's
/// store is hidden, or the commands run as a user who may not write there.
struct TrustChangeTests {
    private let home = TemporaryDirectory()

    init() throws {
        _ = home.directory("bin")
        try #require(run(["create"]).status == 0)
    }

    /// Words that run a program that sees no store of the system; nil if this user cannot do that.
    private static let withoutStore: [String]? = {
        // The command also finds programs in these.
        let hasProgram = ["/usr/sbin", "/sbin", "/usr/local/sbin"].contains { access("\($0)/trust", X_OK) == 0 }
        let mount = "mount -t tmpfs none /usr/local/share && exec \"$@\""
        let words = ["unshare", "--mount", "sh", "-c", mount, "sh"]
        let outcome = try? Command.run(words + ["test", "!", "-e", "/usr/local/share/ca-certificates"])
        return !hasProgram && outcome?.status == 0 ? words : nil
    }()

    private func run(_ words: [String], as prefix: [String] = []) throws -> Command.Outcome {
        try Command.run(
            prefix + ["env", "PATH=\(home.path("bin"))", DaemonProcess.executable, "ca"] + words
                + ["--ca-directory", home.path("ca")],
            environment: DaemonProcess.environment(home)
        )
    }

    private var database: String { home.path(".pki/nssdb") }
    private var program: String { home.path("bin/certutil") }

    /// Makes a database of a browser, and a `certutil` that does this to add a certificate and to remove it.
    private func makeDatabase(adding: String, removing: String) throws {
        _ = home.directory(".pki/nssdb")
        try home.write("", to: ".pki/nssdb/cert9.db")
        let script = """
            #!/bin/sh
            for last; do :; done
            case "$1" in
            -A) \(adding) ;;
            -D) \(removing) ;;
            *) /bin/cat "$HOME/database" 2>/dev/null || { echo could not find it; exit 255; } ;;
            esac

            """
        try home.write(script, to: "bin/certutil", mode: 0o700)
    }

    private static let note =
        "neither update-ca-certificates nor p11-kit's trust is installed: the system's trust store stays as it is"

    @Test(
        "where the system has no store that is known, that is told, and is a failure if there is no other store",
        .enabled(if: withoutStore != nil, "needs the right to mount")
    )
    func noStore() throws {
        let prefix = Self.withoutStore ?? []
        for words in [["trust"], ["untrust"], ["trust", "--dry-run", "--json"]] {
            let none = try run(words, as: prefix)
            #expect(none.status == 1 && none.output.isEmpty && none.errors == "respite: \(Self.note)\n", "\(none)")
        }
        try makeDatabase(adding: "exit 1", removing: "exit 1")
        let planned = try run(["trust", "--dry-run"], as: prefix)
        #expect(planned.status == 0 && planned.errors == "respite: \(Self.note)\n", "\(planned)")
        #expect(planned.output.hasPrefix("\(database): would trust the CA\n"))
        let json = try run(["trust", "--dry-run", "--json"], as: prefix)
        let document = try JSONReader.parse(Array(json.output.utf8))
        #expect(json.status == 0 && json.errors.isEmpty)
        #expect(document["notes"]?.elements.map(\.text) == [Self.note])
    }

    @Test(
        "a database is changed once, and each step is told",
        .enabled(if: withoutStore != nil, "needs the right to mount")
    )
    func changes() throws {
        let prefix = Self.withoutStore ?? []
        let file = home.path("ca/ca.pem")
        try makeDatabase(
            adding: "/bin/cat \"$last\" >\"$HOME/database\"",
            removing: "/bin/rm \"$HOME/database\""
        )
        func said(_ word: String) throws -> String {
            let outcome = try run([word], as: prefix)
            #expect(outcome.status == 0 && outcome.errors == "respite: \(Self.note)\n", "\(outcome)")
            return outcome.output
        }
        let added = try said("trust")
        #expect(added.hasPrefix("\(database): trusts the CA now\n  ran \(program) -A -d sql:\(database) -n respite-"))
        #expect(added.hasSuffix(" -i \(file)\n") && added.split(separator: "\n").count == 2, "\(added)")
        #expect(try readFile(home.path("database")) == readFile(file))
        #expect(try said("trust") == "\(database): trusts the CA already\n")
        let removed = try said("untrust")
        let step = "  ran \(program) -D -d sql:\(database) -n respite-"
        #expect(removed.hasPrefix("\(database): trusts the CA no longer\n\(step)"), "\(removed)")
        #expect(try said("untrust") == "\(database): does not trust the CA\n")
    }

    @Test(
        "a program that fails, or changes nothing, is a failure that says what was done",
        .enabled(if: withoutStore != nil, "needs the right to mount")
    )
    func failures() throws {
        let prefix = Self.withoutStore ?? []
        try makeDatabase(adding: ":", removing: "echo first; echo the reason; exit 7")
        let idle = try run(["trust"], as: prefix)
        #expect(idle.status == 1)
        #expect(
            idle.output.hasPrefix(
                "\(database): failed: all steps succeeded, but the store does not trust the CA\n  ran \(program) -A "
            ),
            "\(idle)"
        )
        try home.write(try readFile(home.path("ca/ca.pem")), to: "database")
        let refused = try run(["untrust"], as: prefix)
        #expect(refused.status == 1 && refused.output.hasPrefix("\(database): failed: \(program) -D -d "), "\(refused)")
        // The step that failed is not told as one that was run.
        #expect(refused.output.hasSuffix(" failed: the reason\n") && refused.output.split(separator: "\n").count == 1)
        try makeDatabase(adding: ":", removing: ":")
        let left = try run(["untrust", "--json"], as: prefix)
        let store = try JSONReader.parse(Array(left.output.utf8))["stores"]?.elements.first
        #expect(left.status == 1 && left.errors.isEmpty)
        #expect(store?["store"]?.text == database && store?["outcome"]?.text == "failed")
        #expect(
            store?["reason"]?.text
                == "all steps succeeded, but the store still trusts the CA: somebody has added it in another way, too"
        )
        #expect(store?["steps"]?.elements.first?.text?.hasPrefix("ran \(program) -D ") == true)
    }

    /// Words that run a program as somebody who is not root; nil if this user cannot do that.
    private static let asNobody: [String]? = {
        guard geteuid() == 0 else { return [] }
        let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        let outcome = try? Command.run(words + ["test", "-x", DaemonProcess.executable])
        return outcome?.status == 0 ? words : nil
    }()

    @Test(
        "only root changes the system's store, and the message says how; a dry run needs no right",
        .enabled(if: asNobody != nil, "needs setpriv, and programs that everybody may run")
    )
    func withoutRight() throws {
        try home.write("#!/bin/sh\nfor last; do :; done\n: >\"$last\"\n", to: "bin/trust", mode: 0o755)
        for directory in ["", "bin", "ca"] { chmod(home.path(directory), 0o755) }
        chmod(home.path("ca/ca.pem"), 0o644)
        let refused = try run(["trust"], as: Self.asNobody ?? [])
        #expect(refused.status == 1 && refused.errors.isEmpty, "\(refused)")
        #expect(
            refused.output == "the system: failed: only root can change it: "
                + "sudo respite ca trust --ca-directory \(home.path("ca"))\n"
        )
        let planned = try run(["trust", "--dry-run"], as: Self.asNobody ?? [])
        #expect(planned.status == 0 && planned.output.hasPrefix("the system: would trust the CA\n  would "))
    }
}
