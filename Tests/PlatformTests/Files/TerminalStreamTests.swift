import Glibc
import Testing

@testable import Platform

@Suite("Standard streams and terminals") struct TerminalStreamTests {
    @Test("a terminal tells the size of its lines, from one character on, and no size if it has none")
    func size() async {
        // In a process of its own, whose standard streams it is.
        await #expect(processExitsWith: .success) {
            // Swift's Glibc module lacks posix_openpt(): TIOCSPTLCK and TIOCGPTN do the same, see ioctl_tty(2).
            let (setLock, getNumber, setSize): (UInt, UInt, UInt) = (0x4004_5431, 0x8004_5430, 0x5414)
            let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var lock: Int32 = 0
            var number: Int32 = 0
            guard master >= 0, ioctl(master, setLock, &lock) == 0, ioctl(master, getNumber, &number) == 0 else {
                exit(1)
            }
            let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
            for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
                guard terminal >= 0, dup2(terminal, stream) == stream else { exit(1) }
            }
            for (columns, rows) in [(1, 1), (80, 24), (0, 24), (80, 0), (0, 0), (65_535, 65_535)] {
                var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
                guard ioctl(master, setSize, &size) == 0 else { exit(1) }
                #expect(StandardOutput.columns == (columns > 0 ? columns : nil))
                #expect(StandardError.columns == (columns > 0 ? columns : nil))
                #expect(StandardOutput.rows == (rows > 0 ? rows : nil))
            }
            #expect(StandardInput.isTerminal && StandardOutput.isTerminal && StandardError.isTerminal)
        }
    }

    @Test("a pipe is no terminal, and has no size")
    func pipes() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { exit(1) }
            for (end, stream) in [(0, STDIN_FILENO), (1, STDOUT_FILENO), (1, STDERR_FILENO)] {
                guard dup2(ends[end], stream) == stream else { exit(1) }
            }
            #expect(!StandardInput.isTerminal && !StandardOutput.isTerminal && !StandardError.isTerminal)
            #expect(StandardOutput.columns == nil && StandardError.columns == nil && StandardOutput.rows == nil)
        }
    }
}
