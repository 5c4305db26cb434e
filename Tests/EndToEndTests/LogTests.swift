import Glibc
import Testing
import TestSupport

/// The daemon's log, and who reads it.
struct LogTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: "text") }
    }

    private static func daemon(_ settings: String...) throws -> DaemonProcess {
        // The runtime's own handler of crashes takes a signal that somebody sent for one that comes again by itself.
        try DaemonProcess(
            (["log.access=true"] + settings).flatMap { ["--set", $0] },
            environment: ["SWIFT_BACKTRACE=enable=no"]
        )
    }

    /// Requests on one connection: far more lines than a pipe takes.
    private static func ask(_ daemon: DaemonProcess, _ url: String, _ authority: String, count: Int) throws {
        let client = try daemon.client()
        for _ in 0..<count {
            #expect(try client.exchange("GET", url, ["Host: \(authority)"]).status == 200)
        }
    }

    @Test("who reads the log and stalls stops no client; what is dropped is counted, and told when it flows again")
    func stalledReader() throws {
        let origin = try Self.origin()
        let daemon = try Self.daemon("log.queue-size=64KiB")
        daemon.command.stallErrors()
        try Self.ask(daemon, origin.url("/a"), origin.authority, count: 2000)

        let status = try daemon.admin("GET", "/v1/status").text
        let budget = try #require(status.ranges(of: "\"setting\":\"log.queue-size\"").first)
        let refused = status[budget.upperBound...].ranges(of: "\"refused\":").first
            .flatMap { Int(status[$0.upperBound...].prefix { $0.isNumber }) }
        #expect(try #require(refused) > 0)
        let metrics = try daemon.admin("GET", "/metrics").text
        #expect(metrics.contains("respite_log_dropped_lines_total \(refused ?? 0)\n"))
        #expect(try daemon.tool("status").output.contains("log.queue-size"))

        daemon.command.readErrors()
        let told = try daemon.command.waitForError("the line of dropped ones") { text -> Int? in
            guard let found = text.ranges(of: "were dropped: their reader was too slow lines=").first else {
                return nil
            }
            let line = text[found.upperBound...]
            return line.contains("\n") ? Int(line.prefix { $0.isNumber }) : nil
        }
        #expect(told == refused)
        // It flows again: later requests have their lines, and none of all was lost without being told.
        try Self.ask(daemon, origin.url("/b"), origin.authority, count: 10)
        #expect(try daemon.stop() == 0)
        let lines = try daemon.command.wait().errors.split(separator: "\n").filter { $0.contains(" info request ") }
        #expect(lines.count + told == 2010)
        #expect(lines.suffix(10).allSatisfy { $0.contains("/b") })
    }

    @Test(
        "the lines of a daemon that ends or crashes are written, however late they are read",
        arguments: [SIGTERM, SIGSEGV]
    )
    func end(signal: Int32) throws {
        let origin = try Self.origin()
        let daemon = try Self.daemon()
        daemon.command.stallErrors()
        // More than a pipe takes, and more than is read in one piece.
        try Self.ask(daemon, origin.url("/a"), origin.authority, count: 1500)
        daemon.command.send(signal: signal)
        daemon.command.readErrors()
        let outcome = try daemon.command.wait()
        #expect(outcome.status == (signal == SIGTERM ? 0 : 128 + signal))
        #expect(outcome.errors.split(separator: "\n").count { $0.contains(" info request ") } == 1500)
        if signal == SIGTERM { #expect(outcome.errors.hasSuffix("info stopped\n")) }
    }

    @Test("a daemon ends, and a crash ends it, though nobody reads its log any more", arguments: [SIGTERM, SIGSEGV])
    func endWithoutReader(signal: Int32) throws {
        let origin = try Self.origin()
        let daemon = try Self.daemon()
        daemon.command.stallErrors()
        try Self.ask(daemon, origin.url("/a"), origin.authority, count: 1500)
        daemon.command.send(signal: signal)
        #expect(try daemon.command.waitForEnd() == (signal == SIGTERM ? 0 : 128 + signal))
        daemon.command.readErrors()
    }

    @Test("no spelling of a secret parameter's name brings its value into the log (H-158)")
    func secrets() throws {
        let origin = try Self.origin()
        let daemon = try Self.daemon("log.level=debug")
        for query in [
            "%74oken=planted", "user[token]=planted", "user%5BToken%5D=planted",
            "u=http%3A%2F%2Fh%2F%3Ftoken%3Dplanted",
        ] {
            #expect(try daemon.get(origin.url("/?\(query)")).status == 200)
        }
        #expect(try daemon.stop() == 0)
        let log = try daemon.command.wait().errors
        #expect(!log.contains("planted"))
        #expect(log.split(separator: "\n").count { $0.contains(" info request ") && $0.contains("=…") } == 4)
    }
}
