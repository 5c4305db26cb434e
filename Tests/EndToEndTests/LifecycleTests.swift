import Glibc
import Testing
import TestSupport

/// Start, stop, crash, and what the store remembers.
struct LifecycleTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            let count = exchange.target.hasPrefix("/big") ? 300_000 : 100
            let offset = exchange.target.utf8.count
            let content = [UInt8]((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ offset) })
            try exchange.reply("200 OK", ["Cache-Control: max-age=600", "ETag: \"a\""], content: content)
        }
    }

    @Test("a restart keeps what is stored, small and large")
    func restart() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let before = try DaemonProcess(home: home)
        let small = try before.get(origin.url("/small"))
        let big = try before.get(origin.url("/big"))
        #expect(try before.stop() == 0)

        let after = try DaemonProcess(home: home)
        let smallAgain = try after.get(origin.url("/small"))
        let bigAgain = try after.get(origin.url("/big"), by: .prefix)
        #expect(smallAgain.isHit && smallAgain.content == small.content)
        #expect(bigAgain.isHit && bigAgain.content == big.content)
        #expect(smallAgain["ETag"] == "\"a\"")
        #expect(origin.requests.count == 2)
    }

    @Test("what an event called durable survives kill -9 (H-152)")
    func kill() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let before = try DaemonProcess(home: home)
        let events = try before.events()
        for target in ["/1", "/2", "/big"] { try #require(before.get(origin.url(target)).status == 200) }
        var durable: Set<String> = []
        while durable.count < 3 {
            let event = try events.next("durable") { $0.contains("durable") }
            for target in ["/1\"", "/2\"", "/big\""] where event.contains(target) { durable.insert(target) }
        }
        #expect(try before.stop(signal: SIGKILL) == 128 + SIGKILL)

        let after = try DaemonProcess(home: home)
        for target in ["/1", "/2", "/big"] { #expect(try after.get(origin.url(target)).isHit) }
        #expect(origin.requests.count == 3)
    }

    @Test("a response cut off by kill -9 never becomes an entry (H-111)")
    func killInBody() throws {
        let hold = Gate()
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=600", "Content-Length: 2000000"]
            try exchange.sendHead("200 OK", fields)
            try exchange.socket.send([UInt8](repeating: 0x61, count: 1_000_000))
            if exchange.ordinal == 1 { try hold.wait("the kill") }
            try exchange.socket.send([UInt8](repeating: 0x62, count: 1_000_000))
        }
        let home = TemporaryDirectory()
        let before = try DaemonProcess(home: home)
        let client = try before.client()
        try client.send("GET", origin.url("/"), ["Host: \(origin.authority)"])
        _ = try client.readHead()
        _ = try client.reader.content(exactly: 1_000_000)
        try before.stop(signal: SIGKILL)
        hold.open()

        let after = try DaemonProcess(home: home)
        let response = try after.get(origin.url("/"))
        #expect(!response.isHit && response.content.count == 2_000_000)
        #expect(origin.requests.count == 2)
    }

    @Test("SIGTERM refuses new connections and lets exchanges in progress end, then the exit code is 0 (H-153)")
    func drain() throws {
        let hold = Gate()
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendHead("200 OK", ["Content-Length: 10"])
            try exchange.sendRaw("first")
            try hold.wait("the signal")
            try exchange.sendRaw("again")
        }
        let daemon = try DaemonProcess()
        let idle = try daemon.client()
        let client = try daemon.client()
        try client.send("GET", origin.url("/"), ["Host: \(origin.authority)"])
        _ = try client.readHead()
        _ = try client.reader.content(exactly: 5)
        daemon.command.send(signal: SIGTERM)
        #expect(try idle.expectClose())
        // The loops close their sockets within their next turns: one of the next connections is refused.
        #expect(throws: HarnessError.self) { for _ in 0..<4000 { _ = try daemon.client() } }
        hold.open()
        #expect(try client.reader.allContent() == Array("again".utf8))
        #expect(try client.expectClose())
        #expect(try daemon.command.wait().status == 0)
    }

    /// A daemon whose settings file is a pipe: it is past the beginning of `main`, and starts when the settings come.
    private static func starting() throws -> (Command, settings: Int32, TemporaryDirectory) {
        let home = TemporaryDirectory()
        let path = home.path + "/respite.toml"
        guard mkfifo(path, 0o600) == 0 else { throw HarnessError("mkfifo: errno \(errno)") }
        let words = DaemonProcess.serveWords(store: home.path + "/store", loops: 2) + ["--config", path]
        let command = try Command(words, environment: DaemonProcess.environment(home))
        let settings = open(path, O_WRONLY | O_CLOEXEC)
        guard settings >= 0 else { throw HarnessError("open \(path): errno \(errno)") }
        // What is read again is an ordinary file.
        let file = try home.write("\n", to: "ordinary")
        guard rename(file, path) == 0 else { throw HarnessError("rename: errno \(errno)") }
        return (command, settings, home)
    }

    @Test("SIGHUP and SIGUSR1 during the start are heeded once the daemon serves, and end nothing")
    func earlySignals() throws {
        let (command, settings, home) = try Self.starting()
        defer { withExtendedLifetime(home) {} }
        command.send(signal: SIGHUP)
        command.send(signal: SIGUSR1)
        #expect(write(settings, "\n", 1) == 1)
        close(settings)
        for line in ["listening listen=", "settings reloaded", "memory copies dropped"] {
            _ = try command.waitForError(line) { $0.contains(line) ? () : nil }
        }
        command.send(signal: SIGTERM)
        #expect(try command.wait().status == 0)
    }

    @Test("SIGTERM and SIGINT during the start end the daemon at once, with exit code 0", arguments: [SIGTERM, SIGINT])
    func earlyEnd(signal: Int32) throws {
        let (command, settings, home) = try Self.starting()
        defer { withExtendedLifetime(home) {} }
        command.send(signal: signal)
        #expect(try command.wait().status == 0)
        close(settings)
        #expect(command.standardError == "")
    }

    @Test("SIGHUP and SIGUSR1 while the daemon stops do not end it before all is put away")
    func lateSignals() throws {
        let hold = Gate()
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendHead("200 OK", ["Content-Length: 5"])
            try hold.wait("the signals")
            try exchange.sendRaw("again")
        }
        let daemon = try DaemonProcess()
        let client = try daemon.client()
        try client.send("GET", origin.url("/"), ["Host: \(origin.authority)"])
        _ = try client.readHead()
        daemon.command.send(signal: SIGTERM)
        _ = try daemon.command.waitForError("draining") { $0.contains("info draining") ? () : nil }
        let sender = BackgroundThread {
            while daemon.command.isRunning {
                daemon.command.send(signal: SIGHUP)
                daemon.command.send(signal: SIGUSR1)
                usleep(100)
            }
        }
        hold.open()
        #expect(try client.reader.allContent() == Array("again".utf8))
        #expect(try daemon.command.wait().status == 0)
        try sender.join()
    }

    @Test("when the daemon stops event streams end with a last event, and completely (S-213)")
    func lastEvent() throws {
        let daemon = try DaemonProcess()
        let events = try EventStream(daemon)
        let stopped = Pending { try daemon.stop() }
        #expect(try events.next("the last event") { $0.contains("event: end") }.contains("data: {}"))
        let error = #expect(throws: HarnessError.self) { try events.next("anything more") }
        #expect("\(error.map { "\($0)" } ?? "")".contains("the event stream ended"))
        #expect(try stopped.result() == 0)
    }

    @Test("SIGUSR1 drops what is in memory; the store's copies answer, with no request (S-017)")
    func memoryCopies() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: $0.target) }
        let daemon = try DaemonProcess()
        let events = try EventStream(daemon)
        let urls = (0..<3).map { origin.url("/\($0)") }
        for url in urls {
            _ = try daemon.get(url)
            _ = try events.next("durable") { $0.contains("event: durable") }
        }
        #expect(try daemon.admin("GET", "/v1/resources").text.contains("\"inMemory\":true"))
        daemon.command.send(signal: SIGUSR1)
        _ = try daemon.command.waitForError("the log") { $0.contains("memory copies dropped") ? true : nil }
        #expect(try !daemon.admin("GET", "/v1/resources").text.contains("\"inMemory\":true"))
        for url in urls { #expect(try daemon.get(url).isHit) }
        #expect(origin.requests.count == 3)
    }

    @Test("a second SIGTERM exits at once")
    func secondSignal() throws {
        let hold = Gate()
        let origin = try ScriptedOrigin { _ in try hold.wait("the end of the test") }
        let daemon = try DaemonProcess()
        let idle = try daemon.client()
        let client = try daemon.client()
        try client.send("GET", origin.url("/"), ["Host: \(origin.authority)"])
        try origin.wait(for: 1, of: "/")
        daemon.command.send(signal: SIGTERM)
        #expect(try idle.expectClose())
        daemon.command.send(signal: SIGTERM)
        _ = try daemon.command.wait(seconds: 20 * Sanitizer.patience)
        hold.open()
    }

    @Test("a store that cannot be used costs one clear line; the daemon serves from memory (H-154, H-155)")
    func storeOfNewerVersion() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let before = try DaemonProcess(home: home)
        _ = try before.get(origin.url("/1"))
        try before.stop()
        let database = try #require(try Self.database(in: before.storePath))
        #expect(try Command.run(["sqlite3", database, "PRAGMA user_version = 999"]).status == 0)

        let after = try DaemonProcess(home: home)
        #expect(try after.get(origin.url("/1")).status == 200)
        #expect(try after.get(origin.url("/1")).isHit)
        try after.stop()
        #expect(after.command.standardError.contains("version"))
        let version = try Command.run(["sqlite3", database, "PRAGMA user_version"])
        #expect(version.output == "999\n")
    }

    @Test("a second daemon on one store serves without it")
    func lockedStore() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let first = try DaemonProcess(home: home)
        _ = try first.get(origin.url("/1"))
        let second = try DaemonProcess(home: home)
        #expect(try second.get(origin.url("/1")).status == 200)
        #expect(try first.get(origin.url("/1")).isHit)
    }

    @Test("a store directory that cannot be made costs one clear line")
    func unusableStore() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let file = try home.write("", to: "a-file")
        let daemon = try DaemonProcess(home: home, store: file + "/store")
        _ = try daemon.get(origin.url("/1"))
        #expect(try daemon.get(origin.url("/1")).isHit)
        try daemon.stop()
        #expect(daemon.command.standardError.contains(file + "/store"))
    }

    @Test("a flipped bit in a stored body is never served (H-155)")
    func flippedBit() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let before = try DaemonProcess(home: home)
        let events = try before.events()
        let good = try before.get(origin.url("/big")).content
        try #require(good.count == 300_000)
        _ = try events.next("durable") { $0.contains("durable") && $0.contains("/big") }
        try before.stop()
        let found = try Command.run(["find", before.storePath + "/bodies", "-type", "f"]).output
        let file = try #require(found.split(separator: "\n").first.map(String.init))
        var bytes = try readFile(file)
        bytes[bytes.count / 2] ^= 1
        try writeFile(file, bytes)

        let after = try DaemonProcess(home: home)
        let outcome = Result { try after.get(origin.url("/big")) }
        if case .success(let response) = outcome { #expect(response.content == good) }
        #expect(try after.get(origin.url("/big")).content == good)
    }

    @Test("the documented view shows the entries to sqlite3")
    func view() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/1"))
        try daemon.stop()
        let database = try #require(try Self.database(in: daemon.storePath))
        let rows = try Command.run(["sqlite3", "-readonly", database, "SELECT uri, status, size FROM entries"])
        #expect(rows.output == "\(origin.url("/1"))|200|100\n", "\(rows.errors)")
    }

    @Test("a port in use is one clear sentence and a failure")
    func portInUse() throws {
        let taken = try TestListener()
        let home = TemporaryDirectory()
        let words = [
            DaemonProcess.executable, "serve", "--listen", "127.0.0.1:\(taken.port)", "--admin", "127.0.0.1:0",
            "--store", "none",
        ]
        let outcome = try Command.run(words, environment: DaemonProcess.environment(home))
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("127.0.0.1:\(taken.port)"))
        #expect(outcome.errors.contains("in use"))
    }

    private static func database(in store: String) throws -> String? {
        let words = ["find", store, "-maxdepth", "1", "-name", "*.sqlite*", "-o", "-maxdepth", "1", "-name", "*.db"]
        let files = try Command.run(words).output.split(separator: "\n").map(String.init)
        return files.first { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    }
}
