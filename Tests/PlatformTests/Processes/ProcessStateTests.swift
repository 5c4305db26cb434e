import Glibc
import Platform
import Testing

@Suite struct ProcessStateTests {
    @Test("the output of a program is returned, and how it ended")
    func output() throws {
        let words = ["/bin/sh", "-c", "echo one; echo two >&2; exit 3"]
        let (ending, bytes) = try ProcessState().output(of: words, environment: .current, timeout: .seconds(60))
        #expect(ending == .exited(3) && bytes == Array("one\n".utf8))
    }

    @Test("a program that goes on for too long is killed", arguments: ["exec sleep 60", "exec sleep 60 >&-"])
    func slowOutput(script: String) {
        let began = SystemClock.monotonicNanoseconds()
        #expect(throws: SystemError(ETIMEDOUT)) {
            _ = try ProcessState().output(
                of: ["/bin/sh", "-c", script],
                environment: .current,
                timeout: .milliseconds(50)
            )
        }
        #expect(SystemClock.monotonicNanoseconds() - began < 30_000_000_000)
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
