import Glibc
import Platform
import TestSupport
import Testing

@Suite struct ProcessStateTests {
    @Test("the output of a program is returned, and how it ended")
    func output() throws {
        let words = ["/bin/sh", "-c", "echo one; echo two >&2; exit 3"]
        let (ending, bytes) = try ProcessState().output(of: words, environment: .current, timeout: .seconds(60))
        #expect(ending == .exited(3) && bytes == Array("one\n".utf8))
    }

    @Test("a program that goes on for too long is killed", arguments: ["", "exec >&-; "])
    func slowOutput(start: String) throws {
        let directory = TemporaryDirectory()
        let (fifo, mark) = (directory.path("fifo"), directory.path("mark"))
        try #require(mkfifo(fifo, 0o600) == 0)
        // Bash itself waits, so that no process of its own stays behind. If nothing kills it, it leaves a mark.
        let script = start + "exec 3<>\"$1\"; read -t 60 -u 3; : >\"$2\""
        #expect(throws: SystemError(ETIMEDOUT)) {
            _ = try ProcessState().output(
                of: ["/bin/bash", "-c", script, "bash", fifo, mark],
                environment: .current,
                timeout: .milliseconds(50)
            )
        }
        #expect(access(mark, F_OK) != 0)
        withExtendedLifetime(directory) {}
    }

    @Test("a program whose output is read has no input, and its errors go nowhere")
    func streams() throws {
        let words = ["/bin/sh", "-c", "readlink /proc/self/fd/0; readlink /proc/self/fd/2"]
        let (ending, bytes) = try ProcessState().output(of: words, environment: .current, timeout: .seconds(60))
        #expect(ending == .exited(0) && bytes == Array("/dev/null\n/dev/null\n".utf8))
    }

    @Test("of its output a mebibyte is kept, unless something else is said")
    func usualLimit() throws {
        let words = ["/bin/sh", "-c", "head -c 1048577 /dev/zero"]
        let (ending, bytes) = try ProcessState().output(of: words, environment: .current, timeout: .seconds(60))
        #expect(ending == .exited(0) && bytes.count == 1 << 20)
    }
}
