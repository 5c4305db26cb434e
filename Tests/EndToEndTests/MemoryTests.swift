import Glibc
import JSON
import Settings
import Testing
import TestSupport

/// What the daemon does when memory is short, and what it logs when it is told to.
struct MemoryTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "content of \(exchange.target)")
        }
    }

    private static func memory(_ daemon: DaemonProcess) throws -> Int64 {
        let status = try JSONReader.parse(Array(try daemon.admin("GET", "/v1/status").text.utf8))
        guard case .integer(let used)? = status["memory"]?["usedBytes"] else { return -1 }
        return used
    }

    @Test("when memory is short what is held leaves it, and is served from the store as before (S-018)")
    func pressure() throws {
        let home = TemporaryDirectory()
        try #require(mkfifo(home.path + "/pressure", 0o600) == 0)
        let origin = try Self.origin()
        let daemon = try DaemonProcess(home: home)
        _ = try daemon.command.waitForError("the watch") { $0.contains("memory pressure is watched") ? true : nil }
        for number in 0..<20 { _ = try daemon.get(origin.url("/\(number)")) }
        #expect(try Self.memory(daemon) > 0)
        let descriptor = open(home.path + "/pressure", O_WRONLY | O_NONBLOCK)
        try #require(descriptor >= 0)
        var byte: UInt8 = 1
        #expect(write(descriptor, &byte, 1) == 1)
        close(descriptor)
        _ = try daemon.command.waitForError("relief") { $0.contains("memory pressure: ") ? true : nil }
        #expect(try Self.memory(daemon) == 0)
        for number in 0..<20 { #expect(try daemon.get(origin.url("/\(number)")).text == "content of /\(number)") }
        #expect(origin.requests.count == 20)
        #expect(try daemon.admin("GET", "/metrics").text.contains("respite_memory_pressure_total 1"))
        try daemon.stop()
    }

    @Test("without a file that tells of pressure the daemon serves, and says once that it does not watch")
    func withoutPressure() throws {
        let daemon = try DaemonProcess()
        let text = try daemon.command.waitForError("the reason") { $0.contains("is not watched") ? $0 : nil }
        #expect(text.contains("memory pressure is not watched") && text.contains("No such file"))
        #expect(try daemon.admin("GET", "/readyz").status == 200)
    }

    @Test(
        "a body file is sent whole and in part, to whoever asks, and once purged takes no room on the disk",
        arguments: [300_000, 1_500_000]
    )
    func bodyFile(count: Int) throws {
        let content = String((0..<count).map { Character(UnicodeScalar(UInt8(97 + ($0 / 11) % 26))) })
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: content) }
        let daemon = try DaemonProcess()
        let url = origin.url("/large")
        /// Open files of the store's that hold bodies.
        func held() -> Int {
            (0..<1024).count { number in
                var name = [CChar](repeating: 0, count: 4096)
                let count = readlink("/proc/\(daemon.command.pid)/fd/\(number)", &name, name.count)
                let path = String(decoding: name.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
                return path.contains("/bodies/") || path.contains("/spill/")
            }
        }
        _ = try daemon.get(url)
        for turn in 1...4 {
            let hit = try daemon.get(url)
            #expect(hit.isHit && hit.text == content, "\(turn)")
        }
        #expect(held() == 1)
        let part = try daemon.get(url, ["Range: bytes=\(count - 290_000)-\(count - 90_001)"])
        let start = content.index(content.startIndex, offsetBy: count - 290_000)
        #expect(part.status == 206 && part.text == content[start...].prefix(200_000))
        #expect(origin.requests.count == 1)
        #expect(try daemon.tool("purge", url).status == 0)
        // Whoever answered the purge may hold it a moment longer.
        try askAgain(for: "the body to be closed", { held() }, until: { $0 == 0 })
    }

    @Test("categories of the core's work are switched while it runs, and log no secret parameter (S-229, S-232)")
    func categories() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        let before = try daemon.tool("log")
        #expect(before.status == 0 && before.output.contains("network") && !before.output.contains(" on"))
        _ = try daemon.get(origin.url("/quiet"))
        let on = try daemon.tool("log", "stateChanges", "network")
        #expect(on.status == 0 && on.output.split(separator: "\n").filter { $0.hasSuffix("on") }.count == 2)
        _ = try daemon.get(origin.url("/loud?token=sesame&x=1"))
        let text = try daemon.command.waitForError("a line of the core") { $0.contains("/loud") ? $0 : nil }
        #expect(text.contains("category=stateChanges") && !text.contains("sesame") && !text.contains("/quiet"))
        #expect(try daemon.tool("log", "none").output.contains(" on") == false)
        #expect(try daemon.tool("log", "weather").status == 2)
        #expect(try daemon.tool("log", "all", "--json").output.contains("\"enabled\":[\"network\","))
    }

    @Test("`put --content-only` keeps status and type of what is held (S-200)")
    func contentOnly() throws {
        let origin = try ScriptedOrigin { exchange in
            try exchange.reply(
                "200 OK",
                ["Cache-Control: max-age=600", "Content-Type: text/x-own", "ETag: \"1\""],
                body: "theirs"
            )
        }
        let daemon = try DaemonProcess()
        let url = origin.url("/a")
        _ = try daemon.get(url)
        let file = try daemon.home.write("ours", to: "content")
        let done = try daemon.tool("put", url, file, "--content-only")
        #expect(done.status == 0, "\(done.errors)")
        let response = try daemon.get(url)
        #expect(response.text == "ours" && response["Content-Type"] == "text/x-own" && response["ETag"] == nil)
        #expect(try daemon.tool("put", url, file, "--content-only", "--type", "text/plain").status == 2)
    }
}
