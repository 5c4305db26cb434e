import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("Calls for processes") struct ProcessCallsTests {
    @Test(
        "a program ends with its exit status, or by a signal",
        arguments: [
            (0, .exited(0), 0), (0x0100, .exited(1), 1), (0xFF00, .exited(255), 255), (9, .killed(9), 137),
            (0x8B, .killed(11), 139),
        ] as [(Int32, ChildProcess.Ending, Int32)]
    )
    func endings(status: Int32, ending: ChildProcess.Ending, code: Int32) {
        #expect(ChildProcess.Ending(status: status) == ending && ending.exitCode == code)
    }

    @Test("each signal has the system's number")
    func signals() {
        #expect(Signal.allCases.map(\.number) == [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2])
    }

    @Test("a program gets its environment, and of its output no more is kept than the limit")
    func output() throws {
        let environment = ProcessEnvironment(entries: [Array("A=abcdef".utf8)])
        for (limit, expected) in [(3, "abc"), (6, "abcdef"), (7, "abcdef\n"), (8, "abcdef\n")] {
            let (ending, bytes) = try ProcessState()
                .output(
                    of: ["/bin/sh", "-c", "echo $A"],
                    environment: environment,
                    timeout: .seconds(60),
                    limit: limit
                )
            #expect(ending == .exited(0) && bytes == Array(expected.utf8))
        }
    }

    @Test("a program that is not there is an error, and so is none")
    func missing() {
        for (words, code) in [(["/nowhere/program"], ENOENT), ([], EINVAL)] as [([String], Int32)] {
            #expect(throws: SystemError(code)) {
                _ = try ProcessState().output(of: words, environment: .current, timeout: .seconds(60))
            }
        }
    }

    @Test("the environment has each variable, and its first value")
    func context() {
        let context = ProcessContext.current
        let path = getenv("PATH").map { String(cString: $0) }
        #expect(context.environment["PATH"] == path && context.isRoot == (geteuid() == 0))
        #expect(ProcessContext.processorCount == max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        #expect(context.inheritedListen.isEmpty && context.inheritedAdmin.isEmpty)
    }

    @Test("the last arguments are those before the end, one fewer than all at most")
    func arguments() {
        let all = ProcessArguments.all
        #expect(ProcessArguments.last(-1) == nil && ProcessArguments.last(all.count - 1) == Array(all.dropFirst()))
    }

    @Test("a pager gets what is written to it, and tells whether it could be started")
    func pager() async {
        let directory = TemporaryDirectory()
        let path = directory.path("shown")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let pager = try PagerProcess("cat > '\(path)'", environment: .current, state: ProcessState())
            #expect(pager.write(Array("one ".utf8)) && pager.write(Array("two".utf8)))
            #expect(pager.finish() && !pager.write([0x61]))
            for (command, wasThere) in [("exit 3", true), ("exit 126", false), ("exit 127", false)] {
                let other = try PagerProcess(command, environment: .current, state: ProcessState())
                #expect(other.finish() == wasThere)
            }
        }
        #expect(contents(path) == Array("one two".utf8))
    }

    @Test("a line of standard input is what stands before its end, and no longer than the limit")
    func lines() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            let text = Array("abc\r\n\nde\rf\nlast".utf8)
            #expect(SystemOutput.write(text[...], to: ends[1]))
            close(ends[1])
            #expect(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO)
            let expected = ["abc", "", "de\rf", "last", nil].map { $0.map { Array($0.utf8) } }
            for line in expected {
                let read = try StandardInput.readLine(limit: 4)
                #expect(read == line)
            }
            #expect(!StandardInput.isTerminal)
        }
    }

    @Test("a line of standard input that is too long is an error; what is read whole has its limit, too")
    func longLines() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            #expect(SystemOutput.write(Array("12345678".utf8)[...], to: ends[1]))
            close(ends[1])
            #expect(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO)
            #expect(throws: SystemError(EFBIG)) { try StandardInput.readLine(limit: 3) }
            let rest = try StandardInput.readAll(limit: 4)
            #expect(rest == Array("5678".utf8))
        }
    }
}
