import CommandSyntax
import Glibc
import TestSupport
import Testing

@testable import Commands

/// `respite dashboard` at a terminal.
@Suite struct DashboardCommandTests {
    /// A terminal: what programs get, and the side that sees what they write (`ioctl_tty(2)`).
    private static func terminal() -> (descriptor: Int32, master: Int32)? {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (Int32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            return nil
        }
        let descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        return descriptor >= 0 ? (descriptor, master) : nil
    }

    /// What is written to a terminal of a desktop with a browser or without.
    private static func output(hasBrowser: Bool) throws -> String {
        let code = String(repeating: "a", count: 43)
        let daemon = AnsweringOrigin { _ in
            .init(200, [("Content-Type", "application/json")], "{\"url\":\"http://127.0.0.1:1/login#code=\(code)\"}")
        }
        let directory = TemporaryDirectory()
        if hasBrowser { try directory.write("#!/bin/sh\n", to: "xdg-open", mode: 0o700) }
        setenv("PATH", directory.path, 1)
        setenv("DISPLAY", ":0", 1)
        let words = [
            "dashboard", "--admin", "127.0.0.1:\(daemon.port)", "--config", "/dev/null", "--token-file",
            directory.path("token"),
        ]
        guard let (descriptor, master) = Self.terminal(), dup2(descriptor, 1) == 1 else { return "no terminal" }
        let command = try ParsedCommand.parse(words)
        try DashboardCommand(AdminClient(command), command).run()
        // The end is seen once nobody has the terminal any more.
        dup2(2, 1)
        close(descriptor)
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(master, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        return String(decoding: text, as: UTF8.self)
    }

    // In processes of their own, whose standard output becomes the terminal.

    @Test("where a browser can be opened, the terminal is told that it opens, and no link")
    func opens() async {
        await #expect(processExitsWith: .success) {
            let text = try DashboardCommandTests.output(hasBrowser: true)
            guard text.hasPrefix("The dashboard opens in your browser."), !text.contains("#code=") else { exit(1) }
        }
    }

    @Test("where no browser can be opened, the terminal shows the link")
    func prints() async {
        await #expect(processExitsWith: .success) {
            let text = try DashboardCommandTests.output(hasBrowser: false)
            guard text.hasPrefix("Open this link within 60 seconds"), text.contains("#code=") else { exit(1) }
        }
    }
}
