import Glibc
import Testing
import TestSupport

/// `respite passwd`.
struct PasswordTests {
    private let home = TemporaryDirectory()
    private var file: String { home.path + "/logins" }

    private func run(_ words: String...) throws -> Command.Outcome {
        try Command.run([DaemonProcess.executable, "passwd"] + words)
    }

    private var text: String { get throws { String(decoding: try readFile(file), as: UTF8.self) } }

    private func mode() -> mode_t {
        var status = stat()
        return stat(file, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("a user's line is written whole, for the owner alone; other lines and the group's right to read stay")
    func writing() throws {
        #expect(try TeamDaemon.passwd(file, "alice", "a").status == 0)
        #expect(try text.hasPrefix("alice:$y$") && mode() == 0o600)
        try writeFile(file, Array("# team\nbob:x\n".utf8))
        chmod(file, 0o640)
        let added = try TeamDaemon.passwd(file, "alice", "a")
        #expect(added.status == 0 && added.output.contains("alice") && added.errors.contains("line 2"), "\(added)")
        #expect(try text.hasPrefix("# team\nbob:x\nalice:$y$") && mode() == 0o640)
        let first = try text
        #expect(try TeamDaemon.passwd(file, "alice", "a").status == 0)
        #expect(try text != first && text.split(separator: "\n").count == 3)
        #expect(try run(file, "bob", "--delete").status == 0)
        #expect(try text.hasPrefix("# team\nalice:$y$"))
        #expect(try run(file, "bob", "--delete").status == 3)
        #expect(try run(home.path + "/none", "bob", "--delete").status == 3)
    }

    @Test("what cannot be a name or a password, or a file for logins, changes nothing")
    func refused() throws {
        try writeFile(file, Array("# team\n".utf8))
        for name in ["", "a:b", "#a", "a b"] { #expect(try TeamDaemon.passwd(file, name, "x").status == 2, "\(name)") }
        for password in ["", String(repeating: "x", count: 512), "a\tb"] {
            let outcome = try TeamDaemon.passwd(file, "alice", password)
            #expect(outcome.status == 1 && outcome.errors.contains("nothing was changed"), "\(outcome)")
        }
        #expect(try run(file, "alice").status == 1)
        #expect(try run(file).status == 2)
        chmod(file, 0o644)
        let open = try TeamDaemon.passwd(file, "alice", "x")
        #expect(open.status == 1 && open.errors.contains("chmod 600"), "\(open)")
        #expect(try text == "# team\n")
    }

    @Test(
        "at a terminal the password is asked for twice, and not shown",
        arguments: [("right\n", 0), ("other\n", 1)] as [(String, Int32)]
    )
    func terminal(again: String, status: Int32) throws {
        let terminal = try TestTerminal()
        let command = try terminal.start([DaemonProcess.executable, "passwd", file, "alice"], environment: [])
        _ = try terminal.output(through: "New password of alice: ")
        terminal.type("right\n")
        _ = try terminal.output(through: "The same again: ")
        terminal.type(again)
        let shown = try terminal.output(through: status == 0 ? "puts it in force" : "nothing was changed")
        #expect(!shown.contains("right") && !shown.contains("other"), "\(shown)")
        #expect(try command.wait().status == status)
    }
}
