import Glibc
import Testing
import TestSupport

/// What is promised to clients holds whatever happens to the process and the disk.
struct DurabilityTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            guard exchange.request.method == "GET" else { return try exchange.reply("204 No Content") }
            let content = exchange.target == "/large" ? large : Array("page".utf8)
            try exchange.reply("200 OK", ["Cache-Control: max-age=600", "ETag: \"1\""], content: content)
        }
    }

    private static let large = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }

    @Test("what an unsafe request has changed is not served after a SIGKILL right behind its response (C-15.1, C-21.8)")
    func killed() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let before = try DaemonProcess(home: home)
        let events = try before.events()
        let pages = (0..<20).map { "/page/\($0)" }
        for page in pages { #expect(try before.get(origin.url(page)).status == 200) }
        _ = try events.next("the last page to be durable") { $0.contains("event: durable") && $0.contains("/page/19") }
        for page in pages { #expect(try before.fetch("DELETE", origin.url(page)).status == 204) }
        try before.stop(signal: SIGKILL)

        let after = try DaemonProcess(home: home)
        for page in pages {
            #expect(try !after.get(origin.url(page), ["Cache-Control: only-if-cached"]).isHit, "\(page)")
        }
    }

    @Test(
        "a stored body that cannot be read any more is loaded anew before a client gets a byte of it (H-155)",
        arguments: [[], ["Range: bytes=150000-150099"], ["Range: bytes=150000-150009,200000-200009"]]
    )
    func unreadable(fields: [String]) throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        let events = try daemon.events()
        #expect(try daemon.get(origin.url("/large")).content == Self.large)
        _ = try events.next("the body to be durable") { $0.contains("event: durable") }
        let expected = try daemon.get(origin.url("/large"), fields)
        #expect(expected.isHit)
        let found = try Command.run(["/usr/bin/find", daemon.storePath + "/bodies", "-type", "f"])
        let path = found.output.split(separator: "\n").map(String.init)
        #expect(path.count == 1)
        for path in path { truncate(path, 0) }

        let again = try daemon.get(origin.url("/large"), fields)
        #expect(!again.isHit)
        // This origin knows no ranges: the whole is as good.
        if again.status == 200 { #expect(again.content == Self.large) }
        if again.status == 206, fields[0].hasSuffix("99") { #expect(again.content == expected.content) }
        #expect(again.status == 200 || again.status == 206)
        #expect(try daemon.get(origin.url("/large")).content == Self.large)
    }
}
