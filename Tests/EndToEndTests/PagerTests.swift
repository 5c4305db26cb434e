import TestSupport
import Testing

/// Long output at a terminal of 24 lines.
struct PagerTests {
    private static func show(
        _ words: [String],
        _ variables: [String],
        through end: String
    ) throws -> (output: String, status: Int32, errors: String) {
        let home = TemporaryDirectory()
        let terminal = try TestTerminal(columns: 80)
        let usual = DaemonProcess.environment(home).filter { !$0.hasPrefix("PAGER=") } + ["PATH=/usr/bin:/bin"]
        let command = try terminal.start([DaemonProcess.executable] + words, environment: usual + variables)
        let output = try terminal.output(through: end)
        let outcome = try command.wait()
        return (output, outcome.status, outcome.errors)
    }

    @Test("output that is longer than the screen goes to the pager, shorter output does not")
    func pages() throws {
        let pager = "RESPITE_PAGER=sed 's/^/| /'"
        let long = try Self.show(["help", "run"], [pager], through: "pip download six\r\n")
        #expect(long.output.hasPrefix("| Runs a command") && long.output.contains("|   respite run -- ./test.sh\r\n"))
        #expect(long.status == 0)
        let short = try Self.show(["help", "version"], [pager], through: "respite version\r\n")
        #expect(short.output.hasPrefix("Prints the version"), "\(short)")
        let none = try Self.show(["help", "run", "--no-pager"], [pager], through: "pip download six\r\n")
        #expect(none.output.hasPrefix("Runs a command"))
    }

    @Test("a pager that ends early ends the command quietly")
    func early() throws {
        let shown = try Self.show(["config", "schema"], ["PAGER=head -2; echo over"], through: "over\r\n")
        #expect(shown.status == 0 && shown.output.split(separator: "\r\n").count == 3, "\(shown)")
    }

    @Test(
        "without a pager that can be started, output is as without one",
        arguments: ["PAGER=no-such-pager", "PAGER='no such'", "PAGER=", "PAGER=/"]
    )
    func missing(variable: String) throws {
        let shown = try Self.show(["help", "run"], [variable], through: "pip download six\r\n")
        #expect(shown.status == 0 && shown.output.contains("Runs a command with its HTTP traffic"), "\(shown)")
    }
}
