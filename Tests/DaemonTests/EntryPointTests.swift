import Eventing
import HTTPCore
import Testing

@testable import Daemon

/// Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 not found, 4 daemon unreachable.
@Suite struct EntryPointTests {
    @Test(
        "wrong usage is 2",
        arguments: [
            ["frob"], ["serve", "extra"], ["serve", "--frob"], ["serve", "--listen"], ["config"], ["config", "frob"],
            ["show"], ["show", "http://a.example/", "http://b.example/"], ["purge"], ["version", "extra"],
            ["serve", "--loops", "many"], ["serve", "--set", "frob=1"], ["serve", "--set", "limits.header-timeout"],
            ["serve", "--listen", "nowhere"], ["serve", "--gateway", "ftp://a.example"], ["serve", "--mode", "frob"],
            ["serve", "--config", "/nonexistent/respite.toml"],
        ]
    )
    func wrongUsage(arguments: [String]) {
        #expect(EntryPoint.run(arguments) == 2)
    }

    @Test(
        "help and version are 0",
        arguments: [["help"], ["help", "serve"], ["version"], ["serve", "--help"], ["config", "schema"], []]
    )
    func help(arguments: [String]) {
        #expect(EntryPoint.run(arguments) == 0)
    }

    @Test("config check is 0 for right settings and 2 for wrong ones")
    func check() throws {
        let directory = try TemporaryDirectory()
        let right = try directory.file("right.toml", "loops = 2\n[limits]\nheader-timeout = \"5s\"\n")
        let wrong = try directory.file("wrong.toml", "loops = 2\nfrob = 1\n")
        let broken = try directory.file("broken.toml", "loops = \n")
        #expect(EntryPoint.run(["config", "check", right]) == 0)
        #expect(EntryPoint.run(["config", "show", "--config", right]) == 0)
        for file in [wrong, broken, directory.path("missing.toml")] {
            #expect(EntryPoint.run(["config", "check", file]) == 2, "\(file)")
            #expect(EntryPoint.run(["serve", "--config", file]) == 2, "\(file)")
        }
    }

    @Test("a port that is taken is 1: the settings are right, the machine is not")
    func portTaken() throws {
        let taken = try ListeningSocket(binding: .ip(.v4(0x7F00_0001), port: 0))
        let port = try #require(taken.address.port)
        #expect(
            EntryPoint.run(["serve", "--listen", "127.0.0.1:\(port)", "--admin", "127.0.0.1:0", "--store", "none"]) == 1
        )
    }

    @Test("a daemon that cannot be reached is 4", arguments: [["status"], ["ls"], ["purge", "http://a.example/"]])
    func unreachable(arguments: [String]) throws {
        let directory = try TemporaryDirectory()
        // A port that was free a moment ago, and that nobody listens on.
        let port = try #require(try ListeningSocket(binding: .ip(.v4(0x7F00_0001), port: 0)).address.port)
        let token = try directory.file("token", "0123456789abcdef0123456789abcdef")
        let options = ["--admin", "127.0.0.1:\(port)", "--token-file", token]
        #expect(EntryPoint.run(arguments + options) == 4)
    }

    @Test("an operand that is no URL is 2, before anybody is asked", arguments: ["show", "cat"])
    func noURL(command: String) throws {
        #expect(EntryPoint.run([command, "not a url"]) == 2)
    }
}
