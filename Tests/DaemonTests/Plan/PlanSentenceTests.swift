import Glibc
import Platform
import Settings
import TestSupport
import Testing

@testable import Daemon

/// What is said of settings that surprise, and of files that cannot be used.
@Suite struct PlanSentenceTests {
    private let directory = TemporaryDirectory()

    private func plan(_ text: String) throws -> ServingPlan {
        var reader = SettingsReader()
        reader.read(Array(text.utf8), name: "respite.toml")
        return try ServingPlan(try reader.finish(), ProcessContext(environment: [:], isRoot: false))
    }

    @Test(
        "each warning says what may happen, and where it can be prevented how",
        arguments: [
            (
                "access.path-cookies = \"pass\"",
                "access.path-cookies is pass: clients hand the cookies of one origin to every other that is asked for "
                    + "by a path (/https://HOST/, /NAME/); scoped keeps them apart"
            ),
            (
                "access.trust-loopback = false",
                "`access.trust-loopback = false` counts loopback's connections, but "
                    + "`limits.max-connections-per-peer` is off: set it to bound them"
            ),
            (
                "[service.a]\nbase = \"https://a.example\"\nverify = \"off\"",
                "service a: certificates are not verified; anybody in between can read and change everything"
            ),
            (
                "access.rebind-protection = \"off\"",
                "`access.rebind-protection` is off: a web page can make its name lead to this machine and read what "
                    + "listens here"
            ),
            (
                "gateway = \"http://h.example\"\naccess.own-names = [\"*\"]",
                "`access.own-names` has \"*\": a web page can make its name lead to the gateway and read the origin; "
                    + "list names such as \"shop.example\" or \"*.shop.example\", if they are known"
            ),
        ]
    )
    func warnings(text: String, message: String) throws {
        #expect(try plan(text + "\n").warnings.map(\.message) == [message])
    }

    @Test("interception without a place for its CA is refused, and the setting for the place is named")
    func authority() throws {
        let error = try #require(throws: SettingsError.self) { try plan("intercept.hosts = [\"*.example\"]\n") }
        #expect(
            error.userMessage == "`intercept.hosts` needs a CA: without HOME it has no directory; set "
                + "`intercept.ca-directory`"
        )
    }

    // MARK: Logins

    /// The mistake of settings that name a login file.
    private func mistake(_ file: String) throws -> SettingsError {
        try #require(throws: SettingsError.self) { try plan("access.login-file = \"\(file)\"\n") }
    }

    @Test("a login file that cannot be read, or that others may read, is told with the remedy")
    func loginFiles() throws {
        let missing = directory.path("none")
        let open = try directory.write("# open\n", to: "open", mode: 0o644)
        for (file, message) in [
            (
                missing,
                "\(missing) cannot be read: No such file or directory; `respite passwd \(missing) USER` makes one, "
                    + "and the daemon's user must be able to read it"
            ),
            (
                open,
                "\(open) can be read by everybody, or written by others than its owner; `chmod 600` it, or 640 for "
                    + "its group"
            ),
            (directory.path, "\(directory.path) is no regular file"),
        ] {
            let error = try mistake(file)
            #expect(error.userMessage == "`login-file`: \(message)" && error.line == 1)
        }
    }

    @Test("a login file has 4 MiB at most")
    func largeLogins() throws {
        let comment = [UInt8](repeating: UInt8(ascii: "#"), count: 4 << 20)
        let file = try directory.write(comment, to: "logins")
        #expect(try plan("access.login-file = \"\(file)\"\n").logins.count == 1)
        try directory.write(comment + [0x23], to: "logins")
        #expect(try mistake(file).userMessage == "`login-file`: \(file) has more than 4 MiB")
    }

    @Test("a line of a login file that is none is told at its own place")
    func loginLine() throws {
        let file = try directory.write("# users\nalice\n", to: "logins")
        let error = try mistake(file)
        #expect(error.source == file && error.line == 2)
        #expect(error.userMessage == "the line is not USER:HASH; `respite passwd FILE USER` writes such a line")
    }

    @Test("another user's login file is refused, and both users are named", .enabled(if: geteuid() == 0))
    func foreignLogins() throws {
        let file = try directory.write("# users\n", to: "logins")
        chown(file, 12345, 12345)
        #expect(
            try mistake(file).userMessage == "`login-file`: \(file) belongs to user 12345, and Respite runs as user 0: "
                + "whoever owns it could change it; `chown` it to that user or to root"
        )
    }
}
