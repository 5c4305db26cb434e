import Glibc
import TestSupport
import Testing

@testable import Platform

struct PressureTests {
    /// A FIFO, as service managers may hand over in the place of the kernel's file.
    private final class Pipe: Sendable {
        let path: String
        private let directory = TemporaryDirectory()

        init() throws {
            path = directory.path("pressure")
            try #require(mkfifo(path, 0o600) == 0)
        }

        func write(_ text: String) throws {
            let descriptor = open(path, O_WRONLY | O_NONBLOCK)
            // Not by `#require`: that it fails is what a test expects.
            guard descriptor >= 0 else { throw SystemError(errno) }
            defer { close(descriptor) }
            var bytes = Array(text.utf8)
            try #require(Glibc.write(descriptor, &bytes, bytes.count) == bytes.count)
        }
    }

    @Test("each time something is written the handler is called, until the watch is stopped (S-018)")
    func calls() throws {
        let pipe = try Pipe()
        let calls = BlockingQueue<Int>()
        let watch = try PressureWatch(PressureSource(path: pipe.path), { calls.push(1) })
        for _ in 0..<3 {
            try pipe.write("short")
            #expect(calls.pop() == 1)
        }
        watch.stop()
        #expect(throws: (any Error).self) { try pipe.write("nobody reads") }
        #expect(calls.count == 0)
    }

    @Test("a released watch ends its thread and closes its file")
    func release() throws {
        let pipe = try Pipe()
        let calls = BlockingQueue<Int>()
        weak var released: PressureWatch?
        do {
            let watch = try PressureWatch(PressureSource(path: pipe.path), { calls.push(1) })
            released = watch
            try pipe.write("short")
            #expect(calls.pop() == 1)
        }
        #expect(released == nil)
    }

    @Test(
        "the error for another kind of file begins with its path",
        arguments: ["/nowhere/pressure", "/dev/zero", "/tmp"]
    )
    func wrongFile(path: String) {
        let error = #expect(throws: SystemError.self) { _ = try PressureWatch(PressureSource(path: path), {}) }
        #expect(error?.description.hasPrefix("\(path): ") == true)
    }

    @Test("the kernel accepts the usual trigger, where it reports pressure at all")
    func kernel() throws {
        guard access("/proc/pressure/memory", R_OK | W_OK) == 0 else { return }
        do {
            try PressureWatch(PressureSource(path: "/proc/pressure/memory"), {}).stop()
        } catch {
            // Kernels before 6.4 want a privilege for it; some are built without pressure reports.
            #expect([EPERM, EOPNOTSUPP, EACCES].contains(error.code), "\(error)")
        }
    }

    @Test("the file is the service manager's, else the own control group's, else the machine's")
    func candidates() {
        let groups = "4:memory:/x\n0::/user.slice/a.service\n"
        let usual = PressureSource.candidates(environment: [:], groups: groups)
        #expect(usual.map(\.path) == ["/sys/fs/cgroup/user.slice/a.service/memory.pressure", "/proc/pressure/memory"])
        #expect(usual.allSatisfy { $0.trigger == Array("some 200000 2000000\0".utf8) })
        #expect(PressureSource.candidates(environment: [:], groups: "").map(\.path) == ["/proc/pressure/memory"])
        #expect(
            PressureSource.candidates(environment: [:], groups: "0::/\n")[0].path == "/sys/fs/cgroup/memory.pressure"
        )
        let managed = ["MEMORY_PRESSURE_WATCH": "/a/b", "MEMORY_PRESSURE_WRITE": "c29tZSAxMDAwMDAgMTAwMDAwMAA="]
        #expect(
            PressureSource.candidates(environment: managed, groups: groups)
                == [PressureSource(path: "/a/b", trigger: Array("some 100000 1000000\0".utf8))]
        )
        #expect(PressureSource.candidates(environment: ["MEMORY_PRESSURE_WATCH": "/dev/null"], groups: groups).isEmpty)
    }

    @Test(
        "Base64 is decoded, with padding or without",
        arguments: [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg", "foob")]
    )
    func base64(coded: String, plain: String) {
        #expect(PressureSource.base64(coded) == Array(plain.utf8))
        #expect(PressureSource.base64("Z*") == nil)
    }
}
