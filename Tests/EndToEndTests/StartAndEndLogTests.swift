import Glibc
import TestSupport
import Testing

/// What the log says of a daemon that cannot start, and of one that ends.
struct StartAndEndLogTests {
    private static func lines(_ outcome: Command.Outcome) -> [String] {
        // Without the time.
        outcome.errors.split(separator: "\n").map { String($0.drop { $0 != " " }.dropFirst()) }
    }

    @Test("a daemon whose port is taken logs that it cannot start, and why, and its exit code is 1")
    func noStart() throws {
        let taken = try TestListener()
        let address = "127.0.0.1:\(taken.port)"
        let outcome = try Command.run(
            [DaemonProcess.executable, "serve", "--listen", address, "--admin", "127.0.0.1:0", "--store", "none"],
            environment: DaemonProcess.environment(TemporaryDirectory())
        )
        #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
        let line = Self.lines(outcome).last ?? ""
        #expect(line.hasPrefix("error cannot start reason=\"cannot listen on \(address): "), "\(outcome)")
        #expect(line.hasSuffix("; change `listen` or stop the other process\""), "\(outcome)")
        withExtendedLifetime(taken) {}
    }

    @Test("a daemon that ends logs how long it waits for exchanges in progress, and at last that it has stopped")
    func end() throws {
        let daemon = try DaemonProcess(["--set", "limits.drain-timeout=7s"])
        daemon.command.send(signal: SIGTERM)
        let outcome = try daemon.command.wait()
        let lines = Self.lines(outcome)
        #expect(outcome.status == 0 && lines.contains("info draining seconds=7"), "\(outcome)")
        #expect(lines.last == "info stopped", "\(outcome)")
    }
}
