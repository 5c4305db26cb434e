import Eventing
import HTTPCore
import Settings
import TestSupport
import Testing

@testable import Commands

/// Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 not found, 4 no daemon answers.
@Suite struct EntryPointTests {
    private let entryPoint = EntryPoint.withoutDaemon

    @Test(
        "wrong usage is 2",
        arguments: [
            ["frob"], ["serve", "extra"], ["serve", "--frob"], ["serve", "--listen"], ["config", "--json"],
            ["config", "frob"],
            ["show"], ["show", "http://a.example/", "http://b.example/"], ["purge"], ["version", "extra"],
            ["cat", "a", "b"], ["show", "no-url"], ["purge", "h/x"], ["ls", "--limit", "0"],
            ["status", "--admin", "nowhere"], ["config", "check", "/dev/null/none"],
            ["config", "check", "--set", "a=b"], ["log", "frob"], ["mode", "frob"],
            ["match"], ["match", "**"], ["match", "**", "h/x"], ["match", "http://h.example:0/", "http://h.example/"],
            ["match", "--host", "a/b", "http://h.example/"], ["ls", "http://h.example:0/*"],
            ["purge", "http://h.example/{a"],
            ["refresh", "http://h.example/{a}"],
        ]
    )
    func wrongUsage(arguments: [String]) {
        #expect(entryPoint.run(arguments) == 2)
    }

    @Test(
        "help and version are 0",
        arguments: [
            ["help"], ["help", "serve"], ["help", "ca"], ["help", "config", "show"], ["version"], ["serve", "--help"],
            ["config", "schema"], [], ["--help"], ["-h"], ["ca"], ["config"], ["config", "--help"],
            ["shared"],
        ]
    )
    func help(arguments: [String]) {
        #expect(entryPoint.run(arguments) == 0)
    }

    @Test("a completion script is 0, and 2 for a shell that has none")
    func completion() {
        for shell in ["bash", "zsh", "fish"] { #expect(entryPoint.run(["completion", shell]) == 0, "\(shell)") }
        #expect(entryPoint.run(["completion", "tcsh"]) == 2)
    }

    @Test("serve is the server's, with its options")
    func serve() {
        #expect(entryPoint.run(["serve", "--loops", "1"]) == 99)
    }

    @Test("config check is 0 for right settings and 2 for wrong ones")
    func check() throws {
        let directory = TemporaryDirectory()
        let right = try directory.write("loops = 2\n[limits]\nheader-timeout = \"5s\"\n", to: "right.toml")
        let wrong = try directory.write("loops = 2\nfrob = 1\n", to: "wrong.toml")
        let broken = try directory.write("loops = \n", to: "broken.toml")
        #expect(entryPoint.run(["config", "check", right]) == 0)
        #expect(entryPoint.run(["config", "show", "--config", right]) == 0)
        for file in [wrong, broken, directory.path("missing.toml")] {
            #expect(entryPoint.run(["config", "check", file]) == 2, "\(file)")
            #expect(entryPoint.run(["config", "show", "--config", file]) == 2, "\(file)")
        }
    }

    @Test(
        "shared check is 1 for a fault and without a server, 2 for wrong settings, and otherwise 0",
        arguments: [
            ([], 1), (["--set", "shared.url=good"], 0), (["--set", "shared.url=bad", "--json"], 1),
            (["--config", "wrong.toml"], 2),
        ] as [([String], Int32)]
    )
    func shared(options: [String], code: Int32) {
        #expect(entryPoint.run(["shared", "check"] + options) == code)
    }

    @Test("a daemon that cannot be reached is 4", arguments: [["status"], ["ls"], ["purge", "http://a.example/"]])
    func unreachable(arguments: [String]) throws {
        let directory = TemporaryDirectory()
        // A port that was free a moment ago, and that nobody listens on.
        let port = try #require(try ListeningSocket(binding: .ip(.v4(0x7F00_0001), port: 0)).address.port)
        let token = try directory.write("0123456789abcdef0123456789abcdef", to: "token")
        let options = ["--admin", "127.0.0.1:\(port)", "--token-file", token]
        #expect(entryPoint.run(arguments + options) == 4)
    }

    @Test("an address where nobody listens is 4, too", arguments: ["127.0.0.1:1", "unix:/nowhere/socket"])
    func nobody(address: String) {
        #expect(entryPoint.run(["status", "--admin", address, "--store", "/nowhere"]) == 4)
    }

    @Test("an operand that is no URL is 2, before anybody is asked", arguments: ["show", "cat"])
    func noURL(command: String) throws {
        #expect(entryPoint.run([command, "not a url"]) == 2)
    }
}
