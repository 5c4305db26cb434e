import CLinux
import Glibc
import TestSupport

/// A terminal whose other side the test holds.
final class TestTerminal {
    /// TIOCSPTLCK and TIOCGPTN, see ioctl_tty(2).
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    private let master: Int32
    /// What a program gets as its terminal.
    let descriptor: Int32
    private var received = ""

    /// - Parameter columns: how many characters a line has; 0: it does not say.
    init(columns: UInt16 = 0) throws {
        // Swift's Glibc module has neither posix_openpt() nor what belongs to it.
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (Int32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, Self.setLock, &lock) == 0, ioctl(master, Self.getNumber, &number) == 0 else {
            throw HarnessError("no terminal: errno \(errno)")
        }
        descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw HarnessError("no terminal: errno \(errno)") }
        if columns > 0 { try resize(columns: columns) }
    }

    /// Gives the terminal a size, of which it tells the program that it belongs to.
    func resize(columns: UInt16) throws {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw HarnessError("no size: errno \(errno)") }
    }

    /// Whether it shows what is typed.
    var echoes: Bool {
        var attributes = termios()
        return tcgetattr(descriptor, &attributes) == 0 && attributes.c_lflag & tcflag_t(ECHO) != 0
    }

    deinit {
        close(descriptor)
        close(master)
    }

    /// Starts a program with the terminal as its standard streams.
    func start(_ words: [String], environment: [String]) throws -> Command {
        let all = ["sh", "-c", "exec \"$@\" <&3 >&3 2>&3 3>&-", "sh"] + words
        return try Command(all, environment: environment, inherited: descriptor)
    }

    /// Types text, which the terminal also shows.
    func type(_ text: String) { _ = write(master, text, text.utf8.count) }

    /// Starts with what is shown from now on.
    func forget() { received = "" }

    /// What the terminal has shown up to and with a text; waits for it for two minutes at most.
    func output(through end: String) throws -> String {
        while !received.contains(end) {
            var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 120_000) > 0 else { throw HarnessError("no `\(end)` in: \(received)") }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(master, &buffer, buffer.count)
            guard count > 0 else { throw HarnessError("no `\(end)` in: \(received)") }
            received += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return received
    }
}
