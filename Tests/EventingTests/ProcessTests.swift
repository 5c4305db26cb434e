import Glibc
import HTTPCore
import Locking
import Testing

@testable import Eventing

final class Counter: Sendable {
    private let count = Lock(0)
    var value: Int { count.withLock { $0 } }
    func increment() { count.withLock { $0 += 1 } }
}

@Suite struct ProcessTests {
    @Test("a signal arrives on the loop that asked for it")
    func signals() async throws {
        let signal: Signals.Signal = try await onLoop { loop, outcome in
            _ = Signals(loop: loop, signals: [.user1, .user2]) { outcome.succeed($0) }
            kill(getpid(), SIGUSR2)
        }
        #expect(signal == .user2)
    }

    @Test("pages go back that a file holds and nobody has written to")
    func code() {
        func mapping(_ head: String, anonymous: Int = 0, swapped: Int = 0) -> String {
            """
            \(head)
            Size:                 4 kB
            Rss:                  4 kB
            Anonymous:            \(anonymous) kB
            Swap:                 \(swapped) kB
            VmFlags: rd ex mr mw me

            """
        }
        let mappings = [
            mapping("7f00000ff000-7f0000100000 r--p 00000000 fe:01 12 /usr/bin/respite"),
            mapping("7f0000100000-7f0000200000 r-xp 00001000 fe:01 12 /usr/bin/respite with blanks"),
            mapping("7f0000200000-7f0000201000 rwxp 00000000 fe:01 13 /usr/lib/writable.so"),
            mapping("7f0000210000-7f0000211000 r--p 00000000 fe:01 13 /usr/lib/joined.so", anonymous: 4),
            mapping("7f0000220000-7f0000221000 r--p 00000000 fe:01 13 /usr/lib/swapped.so", swapped: 4),
            mapping("7f0000230000-7f0000231000 r--s 00000000 fe:01 13 /var/cache/shared"),
            mapping("7f0000300000-7f0000301000 r-xp 00000000 00:00 0 [vdso]"),
            mapping("7f0000400000-7f0000401000 r-xp 00000000 00:00 0"),
            mapping("x-7f0000401000 r-xp 00000000 fe:01 12 /usr/bin/respite"),
            mapping("7f0000501000-7f0000500000 r-xp 00000000 fe:01 12 /usr/bin/respite"),
            "7f0000600000-7f0000601000 r-xp 00000000 fe:01 12 /usr/bin/cut off\nAnonymous:   0 kB\n",
        ]
        #expect(
            CodePages.unchanged(in: Array(mappings.joined().utf8)) == [
                0x7F00_000F_F000..<0x7F00_0010_0000, 0x7F00_0010_0000..<0x7F00_0020_0000,
            ]
        )
    }

    @Test("code of files is found among mappings, and the huge page that an address lies in")
    func codeOfFiles() {
        let mappings = """
            7f00000ff000-7f0000100000 r--p 00000000 fe:01 12 /usr/bin/respite
            7f0000100000-7f0000900000 r-xp 00001000 fe:01 12 /usr/bin/respite with blanks
            7f0000a00000-7f0000b00000 rwxp 00000000 fe:01 13 /usr/lib/writable.so
            7f0000c00000-7f0000d00000 r-xp 00000000 00:00 0
            7f0000e00000-7f0000f00000 r-xp 00000000 00:00 0 [vdso]
            cut off
            """
        #expect(CodePages.executableFiles(in: Array(mappings.utf8)) == [0x7F00_0010_0000..<0x7F00_0090_0000])
        #expect(CodePages.hugePage(around: 0x7F00_0034_5678) == 0x7F00_0020_0000..<0x7F00_0040_0000)
        #expect(CodePages.hugePage(around: 0x7F00_0040_0000) == 0x7F00_0040_0000..<0x7F00_0060_0000)
    }

    @Test("a worker's result comes back to the loop")
    func workers() async throws {
        let workers = try WorkerPool(count: 2)
        defer { workers.stop() }
        let sum: Int = try await onLoop { loop, outcome in
            let handle = loop.handle
            workers.submit(on: handle) {
                handle.isCurrent ? 0 : (1...10).reduce(0, +)
            } completion: { loop, value in
                outcome.succeed(loop.handle.isCurrent ? value : -1)
            }
        }
        #expect(sum == 55)
    }

    @Test("a stopped pool has done everything submitted, and takes no more")
    func stoppedWorkers() throws {
        let workers = try WorkerPool(count: 3)
        let counter = Counter()
        for _ in 0..<100 { workers.submit { counter.increment() } }
        workers.stop()
        #expect(counter.value == 100)
        #expect(!workers.submit {})
    }

    @Test("the limit on descriptors is raised to its hard value")
    func descriptorLimit() {
        let raised = Descriptors.raiseLimit()
        #expect(raised == Descriptors.limit)
        #expect(raised > 255)
    }

    @Test("what a program writes is told, and how it ended")
    func output() throws {
        let words = ["/bin/sh", "-c", "echo one; echo two >&2; exit 3"]
        let (ending, bytes) = try ProcessState().output(of: words, environment: .current, timeout: .seconds(60))
        #expect(ending == .exited(3) && bytes == Array("one\n".utf8))
    }

    @Test("a program that goes on for too long is killed", arguments: ["exec sleep 60", "exec sleep 60 >&-"])
    func slowOutput(script: String) {
        let began = Clock.monotonic()
        #expect(throws: SystemError(ETIMEDOUT)) {
            _ = try ProcessState().output(
                of: ["/bin/sh", "-c", script],
                environment: .current,
                timeout: .milliseconds(50)
            )
        }
        #expect(Clock.monotonic() - began < .seconds(30))
    }

    @Test("an object of a loop is released on its loop")
    func loopBoundRelease() async throws {
        final class Watched {
            let onRelease: () -> Void
            init(onRelease: @escaping () -> Void) { self.onRelease = onRelease }
            deinit { onRelease() }
        }
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let isOnLoop: Bool = try await onLoop { loop, outcome in
            let handle = loop.handle
            let box = LoopBound(Watched { outcome.succeed(handle.isCurrent) }, loop: loop)
            workers.submit { withExtendedLifetime(box) {} }
        }
        #expect(isOnLoop)
    }
}
