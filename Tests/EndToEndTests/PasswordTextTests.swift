import Glibc
import TestSupport
import Testing

/// What `respite passwd` says, and which passwords and files it accepts.
struct PasswordTextTests {
    private let home = TemporaryDirectory()
    private var file: String { home.path("logins") }

    private func delete(_ user: String) throws -> Command.Outcome {
        try Command.run([DaemonProcess.executable, "passwd", file, user, "--delete"])
    }

    @Test("what was done is told, and what else is to do; only a new file of root may need another group")
    func done() throws {
        let first = try TeamDaemon.passwd(file, "alice", "a")
        #expect(first.output == "alice: password set in \(file); `respite reload` puts it in force\n")
        let advice =
            "The daemon must be able to read \(file): give the file its user's group by `chgrp`, then `chmod 640`.\n"
        #expect(first.errors == (geteuid() == 0 ? advice : ""))
        let second = try TeamDaemon.passwd(file, "bob", "b")
        #expect(second.output.hasPrefix("bob: password set in ") && second.errors.isEmpty, "\(second)")
        let removed = try delete("alice")
        #expect(removed.status == 0 && removed.errors.isEmpty)
        #expect(removed.output == "alice: removed in \(file); `respite reload` puts it in force\n")
        let again = try delete("alice")
        #expect(again.status == 3 && again.output.isEmpty && again.errors == "respite: \(file) has no user alice\n")
        #expect(unlink(file) == 0)
        let none = try delete("alice")
        #expect(none.status == 3 && none.output.isEmpty && none.errors == "respite: there is no file \(file)\n")
    }

    @Test(
        "a password has 1 to 511 bytes without control characters",
        arguments: [
            (String(repeating: "x", count: 511), true), (String(repeating: "x", count: 512), false),
            (String(repeating: "ä", count: 256), false), (String(repeating: "x", count: 5000), false),
            (" ~ä ", true), ("a\u{1F}", false), ("a\u{7F}", false), ("a\rb", false),
        ]
    )
    func passwords(password: String, isRight: Bool) throws {
        let outcome = try TeamDaemon.passwd(file, "alice", password)
        #expect(outcome.status == (isRight ? 0 : 1), "\(outcome)")
        guard !isRight else { return }
        #expect(outcome.output.isEmpty && access(file, F_OK) != 0)
        #expect(
            outcome.errors
                == "respite: a password has at most 511 bytes, and no control characters; nothing was changed\n"
        )
    }

    @Test("without a password nothing is changed", arguments: ["", "\n"])
    func noPassword(input: String) throws {
        let outcome = try TeamDaemon.passwd(file, "alice", input)
        #expect(outcome.status == 1 && outcome.output.isEmpty && access(file, F_OK) != 0)
        #expect(outcome.errors == "respite: no password was given; nothing was changed\n")
    }

    @Test("a file that cannot be one of logins is told with what is wrong, and stays")
    func files() throws {
        func refusal(_ words: String) throws -> Bool {
            let outcome = try TeamDaemon.passwd(file, "alice", "a")
            return outcome.status == 1 && outcome.output.isEmpty && outcome.errors == "respite: \(file) \(words)\n"
        }
        _ = home.directory("logins")
        #expect(try refusal("is no regular file"))
        #expect(rmdir(file) == 0)
        try home.write([UInt8](repeating: 0x0A, count: 4 << 20 + 1), to: "logins")
        #expect(try refusal("has more than 4 MiB"))
        chmod(file, 0o602)
        #expect(try refusal("can be read by everybody, or written by others; `chmod 600` it"))
        guard geteuid() == 0 else { return }
        #expect(chown(file, 1234, 1234) == 0)
        #expect(try refusal("belongs to user 1234, and this is user 0"))
    }
}
