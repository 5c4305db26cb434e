import Glibc
import Locking
import Platform
import Settings
import TestSupport
import Testing

/// `respite get` and `respite watch` with a daemon.
struct GetTests {
    @Test("get prints the content, says what the cache did, and has the exit code of curl for an error status")
    func get() throws {
        let origin = try ScriptedOrigin { request in
            let isMissing = request.target == "/missing"
            let status = isMissing ? "404 Not Found" : "200 OK"
            try request.reply(status, ["Cache-Control: max-age=600"], body: "content \(request.ordinal)")
        }
        let daemon = try DaemonProcess()
        let first = try daemon.tool("get", origin.url("/a"))
        #expect(first.status == 0 && first.output == "content 1")
        #expect(first.errors.contains(": a miss: nothing was stored for this URL, stored\n"), "\(first)")
        let second = try daemon.tool("get", origin.url("/a"))
        #expect(second.output == "content 1" && second.errors.contains(": a hit, fresh for "))
        #expect(try daemon.tool("get", "--offline", origin.url("/a")).output == "content 1")
        let fresh = try daemon.tool("get", "--refresh", origin.url("/a"))
        #expect(fresh.output == "content 2" && fresh.errors.contains("loaded again, as asked"), "\(fresh)")
        let absent = try daemon.tool("get", "--offline", origin.url("/b"))
        #expect(absent.status == 3 && absent.output.isEmpty)
        #expect(absent.errors == "respite: nothing usable is stored for \(origin.url("/b"))\n")
        let missing = try daemon.tool("get", origin.url("/missing"))
        #expect(missing.status == 22 && missing.output == "content 1")
        #expect(missing.errors.hasPrefix("respite: the response is an error: 404 Not Found, 9 B in "))
        let both = try daemon.tool("get", "--offline", "--refresh", origin.url("/a"))
        #expect(both.status == 2 && both.output.isEmpty)
    }

    @Test("get by the prefix gateway reaches an https origin's URL: a refused connection is a 502")
    func secure() throws {
        let daemon = try DaemonProcess()
        let outcome = try daemon.tool("get", "https://127.0.0.1:\(try unusedPort())/")
        #expect(outcome.status == 22 && outcome.errors.contains("502 Bad Gateway"), "\(outcome)")
    }

    @Test("a file gets its name once the content is complete; one that breaks off, or a signal, leaves the old file")
    func file() throws {
        let isOver = Latch()
        defer { isOver.open() }
        let origin = try ScriptedOrigin { request in
            if request.target == "/cut" || request.target == "/slow" {
                try request.sendHead("200 OK", ["Content-Length: 100000"])
                try request.sendRaw("beginning")
                if request.target == "/slow" { isOver.wait() }
                return request.close()
            }
            try request.reply("200 OK", ["Cache-Control: max-age=600"], body: "whole")
        }
        let daemon = try DaemonProcess()
        let directory = TemporaryDirectory()
        let path = try directory.write("old", to: "file")
        func content() throws -> String { String(decoding: try readFile(path), as: UTF8.self) }
        func names() throws -> [String] {
            try Command.run(["ls", directory.path]).output.split(separator: "\n").map(String.init)
        }
        let cut = try daemon.tool("get", "-o", path, origin.url("/cut"))
        #expect(
            cut.status == 1 && cut.errors.contains("the response ended before it was complete, after 9 B of 97.7 KiB")
        )
        #expect(cut.errors.hasSuffix("; nothing was saved\n"), "\(cut)")
        #expect(try content() == "old" && names() == ["file"])
        let slow = try Command(
            [DaemonProcess.executable, "get", "-o", path, origin.url("/slow")]
                + ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath],
            environment: DaemonProcess.environment(daemon.home)
        )
        while try names().count < 2 {}
        slow.send(signal: SIGTERM)
        #expect(try slow.wait().status == 128 + SIGTERM)
        #expect(try content() == "old" && names() == ["file"])
        #expect(try daemon.tool("get", "-o", path, origin.url("/a")).status == 0)
        #expect(try content() == "whole" && names() == ["file"])
        let nowhere = try daemon.tool("get", "-o", "/nowhere/file", origin.url("/a"))
        #expect(
            nowhere.status == 1 && nowhere.errors == "respite: cannot write /nowhere/file: No such file or directory\n"
        )
    }

    // MARK: watch

    private static func watch(_ daemon: DaemonProcess, admin: UInt16? = nil, _ words: String...) throws -> Command {
        try Command(
            [DaemonProcess.executable, "watch"] + words
                + ["--admin", "127.0.0.1:\(admin ?? daemon.adminPort)", "--store", daemon.storePath],
            environment: DaemonProcess.environment(daemon.home)
        )
    }

    @Test("watch shows the state, then each change with what differs; secrets of the terminal stay out")
    func watch() throws {
        let origin = try ScriptedOrigin { request in
            try request.reply("200 OK", ["Cache-Control: max-age=600"], body: "{\"n\":\(request.ordinal)}")
        }
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/a"))
        let watch = try Self.watch(daemon, origin.url("/a"))
        try watch.waitForOutput("the state") { $0.contains("  now 200, 7 B, fresh for ") ? () : nil }
        _ = try daemon.tool("refresh", origin.url("/a"))
        try watch.waitForOutput("the change") { $0.contains("  $.n: 1 -> 2\n") ? () : nil }
        _ = try daemon.tool("purge", origin.url("/a"))
        try watch.waitForOutput("the end") { $0.contains("  removed: nothing is stored\n") ? () : nil }
        watch.send(signal: SIGINT)
        let outcome = try watch.wait()
        #expect(outcome.status == 128 + SIGINT && outcome.errors.isEmpty)
    }

    @Test("two watchers with one period cause one load in it")
    func period() throws {
        let count = Lock(0)
        let origin = try ScriptedOrigin { request in
            count.withLock { $0 += 1 }
            try request.reply("200 OK", ["Cache-Control: max-age=600"], body: "{\"n\":\(request.ordinal)}")
        }
        let daemon = try DaemonProcess()
        let watchers = try (0..<2).map { _ in try Self.watch(daemon, "--every", "2s", "--json", origin.url("/a")) }
        // Given three loads that both have seen
        for watcher in watchers {
            try watcher.waitForOutput("the third load") { $0.ranges(of: "\"event\":\"newData\"").count >= 3 ? () : nil }
        }
        // Then there were no others, or one that has begun meanwhile
        #expect((3...4).contains(count.withLock { $0 }))
        for watcher in watchers { watcher.send(signal: SIGINT) }
    }

    @Test("when the daemon stops, watch says so once, and goes on with the next one at its address")
    func reconnect() throws {
        let origin = try ScriptedOrigin { request in
            try request.reply("200 OK", ["Cache-Control: max-age=600"], body: "text\n")
        }
        let port = try unusedPort()
        let daemon = try DaemonProcess(["--admin", "127.0.0.1:\(port)"])
        let watch = try Self.watch(daemon, admin: port, origin.url("/a"))
        try watch.waitForOutput("the state") { $0.contains("nothing is stored yet") ? () : nil }
        #expect(try daemon.stop() == 0)
        try watch.waitForError("the message") { $0.contains("the daemon has stopped; trying again") ? () : nil }
        let next = try DaemonProcess(["--admin", "127.0.0.1:\(port)"], home: daemon.home)
        try watch.waitForOutput("the next state") { $0.ranges(of: "nothing is stored yet").count == 2 ? () : nil }
        _ = try next.get(origin.url("/a"))
        try watch.waitForOutput("the load") { $0.contains("  new: 200, 5 B, fresh for ") ? () : nil }
        watch.send(signal: SIGINT)
        #expect(try watch.wait().errors == "respite: the daemon has stopped; trying again every second\n")
    }
}
