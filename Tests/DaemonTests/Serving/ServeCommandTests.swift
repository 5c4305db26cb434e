import CommandSyntax
import Eventing
import HTTPCore
import Settings
import TestSupport
import Testing

@testable import Daemon

/// How `respite serve` ends when it cannot start: 1 failed, 2 wrong settings.
@Suite struct ServeCommandTests {
    private func serve(_ options: [String]) throws -> Int32 {
        ServeCommand.run(try ParsedCommand.parse(["serve"] + options))
    }

    @Test(
        "wrong settings are 2",
        arguments: [
            ["--loops", "many"], ["--set", "frob=1"], ["--set", "limits.header-timeout"], ["--listen", "nowhere"],
            ["--gateway", "ftp://a.example"], ["--mode", "frob"], ["--config", "/nonexistent/respite.toml"],
        ]
    )
    func wrongSettings(options: [String]) throws {
        #expect(try serve(options) == 2)
    }

    @Test("a wrong settings file is 2, and the check says so, too")
    func wrongFile() throws {
        let directory = TemporaryDirectory()
        for text in ["loops = 2\nfrob = 1\n", "loops = \n"] {
            let file = try directory.write(text, to: "respite.toml")
            #expect(try serve(["--config", file]) == 2, "\(text)")
            let command = try ParsedCommand.parse(["config", "check", file])
            #expect(throws: SettingsError.self) { try SettingsCheck(asForStart: command) }
        }
    }

    @Test("a port that is taken is 1: the settings are right, the machine is not")
    func portTaken() throws {
        let taken = try ListeningSocket(binding: .ip(.v4(0x7F00_0001), port: 0))
        let port = try #require(taken.address.port)
        #expect(try serve(["--listen", "127.0.0.1:\(port)", "--admin", "127.0.0.1:0", "--store", "none"]) == 1)
    }
}
