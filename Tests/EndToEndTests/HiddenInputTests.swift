import Glibc
import TestSupport
import Testing

/// A terminal at which a command asks for what is not shown.
struct HiddenInputTests {
    private static let question = "New password of alice: "

    /// Starts a command that asks, and waits until it does.
    private static func start(_ terminal: TestTerminal, _ home: TemporaryDirectory) throws -> Command {
        // Without a core: a signal may leave one.
        let words = ["sh", "-c", "ulimit -c 0 && exec \"$@\"", "sh", DaemonProcess.executable]
        // Without the toolchain's debugger, which a signal may start, and which asks what to do.
        let environment = ["SWIFT_BACKTRACE=enable=no"]
        let command = try terminal.start(words + ["passwd", home.path("logins"), "alice"], environment: environment)
        _ = try terminal.output(through: question)
        #expect(!terminal.echoes)
        return command
    }

    @Test(
        "a signal that ends a command which asks for a password leaves a terminal that shows what is typed",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    )
    func signals(number: Int32) throws {
        let (terminal, home) = (try TestTerminal(), TemporaryDirectory())
        let command = try Self.start(terminal, home)
        command.send(signal: number)
        _ = try terminal.output(through: Self.question + "\r\n")
        #expect(try command.wait().status == 128 + number)
        #expect(terminal.echoes && !filesBelow(home.path).contains(home.path("logins")))
    }

    @Test("a command that was stopped asks again, and a signal that ends it then leaves the terminal as it was")
    func stopped() throws {
        let (terminal, home) = (try TestTerminal(), TemporaryDirectory())
        let command = try Self.start(terminal, home)
        command.send(signal: SIGTSTP)
        _ = try terminal.output(through: Self.question + "\r\n")
        // Where no shell could continue it, the system does not stop it.
        command.send(signal: SIGCONT)
        _ = try terminal.output(through: Self.question + "\r\n" + Self.question)
        #expect(!terminal.echoes)
        command.send(signal: SIGTERM)
        _ = try terminal.output(through: Self.question + "\r\n" + Self.question + "\r\n")
        #expect(try command.wait().status == 128 + SIGTERM)
        #expect(terminal.echoes)
    }
}
