import TestSupport
import Testing

/// The variables of a command that `respite run` or `record` starts, and what a recording could not see.
struct RunVariablesTests {
    private let home = TemporaryDirectory()

    private func run(_ words: [String], _ script: String, _ variables: [String] = []) throws -> Command.Outcome {
        try Command.run(
            [DaemonProcess.executable] + words + ["--", "sh", "-c", script],
            environment: DaemonProcess.environment(home) + variables
        )
    }

    private static let own = ["run", "-q", "--own", "--config", "/dev/null", "--store", "none"]

    @Test("options for Node and Java that are there stay in force before ours; other variables are ours")
    func optionLists() throws {
        let script = "echo \"$NODE_OPTIONS\"; echo \"$JAVA_TOOL_OPTIONS\"; echo \"$NODE_USE_ENV_PROXY\""
        func lines(_ variables: [String]) throws -> [String] {
            let outcome = try run(Self.own + ["--intercept=a.example"], script, variables)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            return outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
        let both = try lines(["NODE_OPTIONS=--a --b", "JAVA_TOOL_OPTIONS=-Da=b", "NODE_USE_ENV_PROXY=0"])
        try #require(both.count == 4)
        #expect(both[0].hasPrefix("--a --b --require /") && both[0].hasSuffix("/proxy.cjs"), "\(both[0])")
        #expect(both[1].hasPrefix("-Da=b -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort="), "\(both[1])")
        #expect(both[2] == "1")
        for variables in [[], ["NODE_OPTIONS=", "JAVA_TOOL_OPTIONS="]] {
            let ours = try lines(variables)
            try #require(ours.count == 4)
            #expect(ours[0].hasPrefix("--require /") && ours[1].hasPrefix("-Dhttp.proxyHost=127.0.0.1 "), "\(ours)")
        }
    }

    @Test("a command asks this machine and the hosts of no_proxy directly, unless --no-proxy says otherwise")
    func exceptions() throws {
        let script = "echo \"[$no_proxy][$NO_PROXY]\""
        let all = "b.example,localhost,127.0.0.1,::1"
        #expect(try run(Self.own, script, ["no_proxy=b.example"]).output == "[\(all)][\(all)]\n")
        #expect(try run(Self.own, script, ["NO_PROXY=b.example"]).output == "[\(all)][\(all)]\n")
        let words = Self.own + ["--no-proxy", "c.example"]
        #expect(try run(words, script, ["no_proxy=b.example"]).output == "[c.example][c.example]\n")
    }

    @Test("while a command is recorded it asks no host directly, unless --no-proxy names it")
    func recordedExceptions() throws {
        func output(_ options: [String]) throws -> String {
            let words = ["record", "-q"] + options + [home.path("api.har")]
            return try run(words, "echo \"[$no_proxy][$NO_PROXY]\"", ["no_proxy=b.example"]).output
        }
        #expect(try output([]) == "[][]\n")
        #expect(try output(["--no-proxy", "c.example"]) == "[c.example][c.example]\n")
    }

    @Test(
        "tunnels that a recording could not read are told, also by --quiet; without any nothing is",
        arguments: [(0, "", ""), (1, "1 tunnel", "it"), (2, "2 tunnels", "them")]
    )
    func tunnels(count: Int, words: String, them: String) throws {
        // Plain HTTP inside CONNECT: the recording cannot read it.
        let origin = try ScriptedOrigin { try $0.reply(body: "ok") }
        let call = "curl -sS --proxytunnel \(origin.url("/a"))"
        let script = ([String](repeating: call, count: count) + ["true"]).joined(separator: "; ")
        let outcome = try run(["record", "-q", home.path("api.har")], script)
        #expect(outcome.status == 0 && outcome.output == String(repeating: "ok", count: count), "\(outcome)")
        let note = "respite: \(words) passed by unread, and what was in \(them) is not in the cassette\n"
        #expect(outcome.errors == (count == 0 ? "" : note))
    }
}
