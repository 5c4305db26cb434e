import Glibc
import JSON
import TestSupport
import Testing

/// `respite top` at a terminal where one frame is wanted, or an object.
struct TopOnceTests {
    private static let fullScreen = "\u{1B}[?1049h"

    /// What a terminal shows of a command, up to and with a text; ends the command if it shows a full screen.
    private func shown(_ word: String, through end: String) throws -> String {
        let daemon = try DaemonProcess()
        let terminal = try TestTerminal(columns: 80)
        let command = try terminal.start(
            [
                DaemonProcess.executable, "top", word, "--admin", "127.0.0.1:\(daemon.adminPort)", "--store",
                daemon.storePath,
            ],
            environment: DaemonProcess.environment(daemon.home)
        )
        let shown = try terminal.output(through: end)
        if shown.contains(Self.fullScreen) { command.send(signal: SIGTERM) }
        #expect(try command.wait().status == 0)
        #expect(!shown.contains(Self.fullScreen) && terminal.echoes)
        return shown
    }

    @Test("--once prints one frame, and ends")
    func once() throws {
        let text = try shown("--once", through: "mode auto")
        #expect(text.contains(" requests/s   "), "\(text)")
    }

    @Test("--json prints one object, and ends")
    func json() throws {
        let text = try shown("--json", through: "}\r\n")
        let document = try JSONReader.parse(Array(text.utf8))
        #expect(document["hottest"]?.elements.isEmpty == true && document["worst"]?.elements.isEmpty == true)
    }
}
