import TestSupport
import Testing

/// Values of options at their bounds, and what commands say where there is nothing or one thing to list.
struct CommandBoundTests {
    private let home = TemporaryDirectory()

    private func run(_ words: [String]) throws -> Command.Outcome {
        try Command.run([DaemonProcess.executable] + words, environment: DaemonProcess.environment(home))
    }

    private static func daemon(_ json: String) -> AnsweringOrigin {
        AnsweringOrigin { _ in .init(200, [("Content-Type", "application/json")], json) }
    }

    private func options(_ daemon: AnsweringOrigin) -> [String] {
        ["--admin", "127.0.0.1:\(daemon.port)", "--token-file", home.path("token")]
    }

    @Test("a pace is a word, or a factor from 0.01 to 10000", arguments: ["instant", "recorded", "0.01", "10000", "4"])
    func paces(pace: String) throws {
        let file = home.path("none.har")
        let outcome = try run(["replay", "--pace", pace, file, "--", "true"])
        #expect(outcome.status == 125 && outcome.output.isEmpty)
        #expect(
            outcome.errors
                == "respite: \(file): cannot be read: No such file or directory; `respite record \(file) -- COMMAND` makes "
                + "it\n"
        )
    }

    @Test("other paces are refused", arguments: ["0.009", "10001", "-1", "nan", "fast"])
    func noPaces(pace: String) throws {
        let outcome = try run(["replay", "--pace", pace, home.path("none.har"), "--", "true"])
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(
            outcome.errors
                == "respite: `--pace` is instant, recorded or a factor from 0.01 to 10000, not `\(pace)`\n"
        )
    }

    @Test("what a replay does on a miss is one of three words")
    func misses() throws {
        let outcome = try run(["replay", "--on-miss", "frob", home.path("none.har"), "--", "true"])
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors == "respite: `--on-miss` is one of fail, pass, record, not `frob`\n")
    }

    @Test(
        "what a tag would purge is counted, of which the first are listed",
        arguments: [(1, "1 resource"), (3, "3 resources")]
    )
    func tags(count: Int, sentence: String) throws {
        let daemon = Self.daemon(#"{"first":["http://h.example/"],"resources":\#(count)}"#)
        let outcome = try run(["purge", "--dry-run", "--tag", "t"] + options(daemon))
        #expect(outcome.status == 0 && outcome.output == "http://h.example/\n")
        #expect(outcome.errors == "respite: t would purge \(sentence)\n")
    }

    @Test("on a terminal it is said that no tunnel is open, and programs get nothing")
    func noTunnels() throws {
        let daemon = Self.daemon(#"{"tunnels":[]}"#)
        let words = ["tunnels"] + options(daemon)
        let piped = try run(words)
        #expect(piped.status == 0 && piped.output.isEmpty && piped.errors.isEmpty)
        let terminal = try TestTerminal(columns: 80)
        let command = try terminal.start(
            [DaemonProcess.executable] + words,
            environment: DaemonProcess.environment(home)
        )
        #expect(try terminal.output(through: "open\r\n") == "respite: no tunnel is open\r\n")
        #expect(try command.wait().status == 0)
    }
}
