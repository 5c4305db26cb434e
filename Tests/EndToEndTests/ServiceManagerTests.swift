import Glibc
import Testing
import TestSupport

/// What a service manager does with the daemon: notices, signs of life, sockets handed over.
struct ServiceManagerTests {
    private static func words(_ home: TemporaryDirectory, _ more: [String] = []) -> [String] {
        DaemonProcess.serveWords(store: home.path + "/store", loops: 2) + more
    }

    @Test("READY once requests are served, signs of life, STOPPING when told to end (sd_notify)")
    func notices() throws {
        let home = TemporaryDirectory()
        let notices = try NoticeSocket(in: home)
        let variables = ["NOTIFY_SOCKET=\(notices.path)", "WATCHDOG_USEC=40000"]
        let daemon = try Command(Self.words(home), environment: DaemonProcess.environment(home) + variables)
        let ready = try notices.next("READY=1")
        let status = try #require(ready.first { $0.hasPrefix("STATUS=serving on 127.0.0.1:") })
        let port = try #require(UInt16(status.dropFirst("STATUS=serving on 127.0.0.1:".count).prefix { $0.isNumber }))
        let answer = try WireClient(port: port).exchange("GET", "/", ["Host: 127.0.0.1:\(port)"])
        #expect(answer.status == 200)
        for _ in 0..<3 { _ = try notices.next("WATCHDOG=1") }
        daemon.send(signal: SIGTERM)
        _ = try notices.next("STOPPING=1")
        #expect(try daemon.wait().status == 0)
    }

    @Test("signs of life are given only to who asked this process for them")
    func foreignWatchdog() throws {
        let home = TemporaryDirectory()
        let notices = try NoticeSocket(in: home)
        // The variable of another process is not for us: nobody waits for signs of life then.
        let variables = ["NOTIFY_SOCKET=\(notices.path)", "WATCHDOG_USEC=40000", "WATCHDOG_PID=1"]
        let daemon = try Command(Self.words(home), environment: DaemonProcess.environment(home) + variables)
        _ = try notices.next("READY=1")
        daemon.send(signal: SIGTERM)
        #expect(try notices.next("") == ["STOPPING=1", "STATUS=draining"])
        #expect(try daemon.wait().status == 0)
    }

    @Test("a socket that is handed over takes the place of --listen, for all loops (sd_listen_fds)", arguments: [1, 3])
    func socketActivation(loops: Int) throws {
        let home = TemporaryDirectory()
        let listener = try TestListener()
        let serve = DaemonProcess.serveWords(store: home.path + "/store", loops: loops).joined(separator: " ")
        let daemon = try Command(
            ["sh", "-c", "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=proxy exec \(serve)"],
            environment: DaemonProcess.environment(home),
            inherited: listener.descriptor
        )
        // A connection made before the daemon is ready waits instead of failing.
        let answers = try concurrently(20) { _ in
            try WireClient(port: listener.port).exchange("GET", "/", ["Host: 127.0.0.1:\(listener.port)"]).status
        }
        #expect(answers.allSatisfy { $0 == 200 })
        let named = try daemon.waitForError("the address") {
            $0.contains("listen=127.0.0.1:\(listener.port)") ? true : nil
        }
        #expect(named)
        daemon.send(signal: SIGTERM)
        #expect(try daemon.wait().status == 0)
    }

    @Test("descriptors meant for another process are left alone")
    func foreignDescriptors() throws {
        let home = TemporaryDirectory()
        let listener = try TestListener()
        let daemon = try Command(
            Self.words(home),
            environment: DaemonProcess.environment(home) + ["LISTEN_PID=1", "LISTEN_FDS=1"],
            inherited: listener.descriptor
        )
        let text = try daemon.waitForError("the address") { $0.contains(" admin=127") ? $0 : nil }
        #expect(!text.contains("listen=127.0.0.1:\(listener.port)"))
        daemon.send(signal: SIGTERM)
        #expect(try daemon.wait().status == 0)
    }

    @Test("a descriptor that does not listen is a clear error")
    func noListener() throws {
        let home = TemporaryDirectory()
        let serve = Self.words(home).joined(separator: " ")
        let outcome = try Command.run(
            ["sh", "-c", "exec 3</dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec \(serve)"],
            environment: DaemonProcess.environment(home)
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("descriptor 3 of LISTEN_FDS is no listening stream socket"))
    }
}
