import CommandSyntax
import Testing

@testable import Commands

/// The words with which `respite run` starts a daemon of its own.
@Suite struct DaemonWordsTests {
    private func run(_ words: String...) throws -> ParsedCommand { try ParsedCommand.parse(["run"] + words + ["true"]) }

    @Test("the daemon has two loops, no gateway, a quiet log and a short end, unless the user sets other ones")
    func defaults() throws {
        let serve = try OwnDaemon.serveCommand(try run("--store", "/s", "--token-file", "/t"))
        #expect(
            serve.values(of: "set") == [
                "loops=2", "gateway=", "log.access=false", "log.level=error", "limits.drain-timeout=2s",
                "admin-token-file=/t",
            ]
        )
        let other = try OwnDaemon.serveCommand(
            try run(
                "--store",
                "/s",
                "--set",
                "gateway = \"http://127.0.0.1:1\"",
                "--set",
                "log.level=info",
                "--set",
                "admin=\"127.0.0.1:5\""
            )
        )
        #expect(
            other.values(of: "set") == [
                "loops=2", "log.access=false", "limits.drain-timeout=2s", "gateway = \"http://127.0.0.1:1\"",
                "log.level=info",
                "admin=\"127.0.0.1:5\"",
            ]
        )
        #expect(other.value(of: "listen") == "127.0.0.1:0" && other.value(of: "admin") == nil)
        #expect(other.value(of: "config") == nil && other.value(of: "mode") == nil)
    }

    @Test("a recording has no store, reads no file, and may reach every port")
    func recording() throws {
        let serve = try OwnDaemon.storelessCommand(try run("--set", "loops = 1"))
        #expect(serve.name == "serve" && serve.operands.isEmpty)
        #expect(serve.value(of: "store") == "none" && serve.value(of: "config") == "/dev/null")
        #expect(serve.value(of: "listen") == "127.0.0.1:0" && serve.value(of: "admin") == "127.0.0.1:0")
        #expect(
            serve.values(of: "set") == [
                "gateway=", "log.access=false", "log.level=error", "limits.drain-timeout=2s",
                "access.connect-ports=any", "loops = 1",
            ]
        )
        let named = try OwnDaemon.storelessCommand(try run("--config", "/c", "--set", "access.connect-ports=[1]"))
        #expect(named.value(of: "config") == "/c" && !named.values(of: "set").contains("access.connect-ports=any"))
    }

    @Test(
        "commas between braces belong to a pattern",
        arguments: [
            ("", []), (",", []), ("a", ["a"]), ("a,b", ["a", "b"]), ("{a,b},c", ["{a,b}", "c"]),
            ("{a,{b,c}}d,e", ["{a,{b,c}}d", "e"]), ("a},b", ["a}", "b"]), ("{a,b", ["{a,b"]),
        ] as [(String, [String])]
    )
    func patterns(list: String, patterns: [String]) { #expect(RunAuthority.patterns(in: list) == patterns) }
}
