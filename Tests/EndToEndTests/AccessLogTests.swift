import Glibc
import Settings
import TestSupport
import Testing

/// The log of requests: what stands in it, where it is, and what a wrong file costs.
struct AccessLogTests {
    private let home = TemporaryDirectory()
    private var path: String { home.path("access.log") }

    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin {
            let size = Int($0.target.dropFirst()) ?? 5
            try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: String(repeating: "x", count: size))
        }
    }

    private func daemon(_ settings: String, file: String? = nil, more: String = "") throws -> DaemonProcess {
        let text = "\(more)\n[log]\naccess = true\naccess-file = \"\(file ?? path)\"\n\(settings)\n"
        return try DaemonProcess(["--config", try home.write(text, to: "respite.toml")], home: home)
    }

    private func lines(_ path: String) -> [String] {
        String(decoding: contents(path), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("each request is a line, with outcome, reason, rule, service and User-Agent, whichever path answers it")
    func lines() throws {
        let origin = try Self.origin()
        let daemon = try daemon(
            "format = \"text\"",
            more: """
                [service.here]
                base = "\(origin.url("/"))"
                [[rule]]
                match = "\(origin.url("/7"))"
                ttl = "1h"
                """
        )
        // Small content goes with its head, large content behind it.
        for target in ["/7", "/100000"] {
            for _ in 0..<2 { #expect(try daemon.get(origin.url(target), ["User-Agent: a b"]).status == 200) }
        }
        let client = try daemon.client()
        for _ in 0..<2 {
            #expect(try client.exchange("GET", "/here/7", ["Host: 127.0.0.1:\(daemon.port)"]).status == 200)
        }
        #expect(try daemon.get("http://127.0.0.1:25/").status == 403)
        #expect(try daemon.stop() == 0)

        let found = lines(path).map { line in
            String(line[(line.firstRange(of: " target=")?.lowerBound ?? line.startIndex)...])
                .replacing(#/ duration=[0-9.]+s/#, with: "")
                .replacing(origin.authority, with: "ORIGIN")
        }
        #expect(
            found == [
                " target=http://ORIGIN/7 status=200 bytes=7 cache=miss complete=true agent=\"a b\" reason=uri-miss rule=\"rule 1\"",
                " target=http://ORIGIN/7 status=200 bytes=7 cache=hit complete=true agent=\"a b\" rule=\"rule 1\"",
                " target=http://ORIGIN/100000 status=200 bytes=100000 cache=miss complete=true agent=\"a b\" reason=uri-miss",
                " target=http://ORIGIN/100000 status=200 bytes=100000 cache=hit complete=true agent=\"a b\"",
                " target=/here/7 status=200 bytes=7 cache=hit complete=true rule=\"rule 1\" service=here",
                " target=/here/7 status=200 bytes=7 cache=hit complete=true rule=\"rule 1\" service=here",
                " target=http://127.0.0.1:25/ status=403 bytes=143 cache=refused complete=true reason=http_request_denied",
            ]
        )
    }

    @Test("a format with nginx's variables is used for hits, misses and refusals; a reload changes it")
    func template() throws {
        let origin = try Self.origin()
        let daemon = try daemon(#"access-format = '$remote_addr "$request" $status $body_bytes_sent $cache_status'"#)
        for _ in 0..<2 { #expect(try daemon.get(origin.url("/5?token=geheim")).status == 200) }
        #expect(try daemon.get("http://127.0.0.1:25/").status == 403)
        let text = "[log]\naccess = true\naccess-file = \"\(path)\"\naccess-format = '$$ $${status}x'\n"
        _ = try home.write(text, to: "respite.toml")
        #expect(try daemon.admin("POST", "/v1/reload").status == 200)
        #expect(try daemon.get(origin.url("/5?token=geheim")).status == 200)
        #expect(try daemon.stop() == 0)
        let url = origin.url("/5?token=…")
        #expect(
            lines(path) == [
                "127.0.0.1 \"GET \(url) HTTP/1.1\" 200 5 miss", "127.0.0.1 \"GET \(url) HTTP/1.1\" 200 5 hit",
                "127.0.0.1 \"GET http://127.0.0.1:25/ HTTP/1.1\" 403 143 refused", "$ 200x",
            ]
        )
    }

    @Test(
        "a format with a mistake is refused with its place and the nearest variable",
        arguments: [
            (
                "$remote_addr $staus",
                "`log.access-format` knows no variable $staus, at character 14; did you mean `$status`?"
            ),
            ("$status \\\"x", "`log.access-format` has a quotation mark without a second one, at character 9"),
            ("combind", "did you mean `\"combined\"`?"),
        ]
    )
    func wrongTemplate(format: String, message: String) throws {
        let file = try home.write("[log]\naccess-format = \"\(format)\"\n", to: "wrong.toml")
        let outcome = try Command.run(
            [DaemonProcess.executable, "config", "check", file],
            environment: DaemonProcess.environment(home)
        )
        #expect(outcome.status == 2 && (outcome.errors + outcome.output).contains(message), "\(outcome)")
    }

    @Test("SIGUSR2 opens the file again, so that a renamed one is complete")
    func rotation() throws {
        let origin = try Self.origin()
        let daemon = try daemon("access-format = \"combined\"")
        for _ in 0..<3 { #expect(try daemon.get(origin.url("/5")).status == 200) }
        #expect(rename(path, path + ".1") == 0)
        daemon.command.send(signal: SIGUSR2)
        _ = try daemon.command.waitForError("reopening") { $0.contains("access log reopened") ? () : nil }
        for _ in 0..<2 { #expect(try daemon.get(origin.url("/6")).status == 200) }
        #expect(try daemon.stop() == 0)
        #expect(lines(path + ".1").count == 3 && lines(path + ".1").allSatisfy { $0.contains("/5 HTTP/1.1\" 200 5 ") })
        #expect(lines(path).count == 2 && lines(path).allSatisfy { $0.contains("/6 HTTP/1.1\" 200 6 ") })
    }

    @Test("a reload opens the file again, too")
    func reopeningReload() throws {
        let origin = try Self.origin()
        let daemon = try daemon("")
        #expect(try daemon.get(origin.url("/5")).status == 200)
        #expect(rename(path, path + ".1") == 0)
        #expect(try daemon.admin("POST", "/v1/reload").status == 200)
        #expect(try daemon.get(origin.url("/6")).status == 200)
        #expect(try daemon.stop() == 0)
        #expect(lines(path + ".1").count == 1 && lines(path).count == 1)
    }

    @Test("a reload moves the log to another file, and each line stands in one of them")
    func reload() throws {
        let origin = try Self.origin()
        let daemon = try daemon("")
        #expect(try daemon.get(origin.url("/5")).status == 200)
        let other = home.path("other.log")
        _ = try home.write("[log]\naccess = true\naccess-file = \"\(other)\"\n", to: "respite.toml")
        #expect(try daemon.admin("POST", "/v1/reload").status == 200)
        #expect(try daemon.get(origin.url("/6")).status == 200)
        _ = try home.write("[log]\naccess = false\n", to: "respite.toml")
        #expect(try daemon.admin("POST", "/v1/reload").status == 200)
        #expect(try daemon.get(origin.url("/7")).status == 200)
        #expect(try daemon.stop() == 0)
        #expect(lines(path).count == 1 && lines(path).allSatisfy { $0.contains("/5 status=") })
        #expect(lines(other).count == 1 && lines(other).allSatisfy { $0.contains("/6 status=") })
    }

    @Test("a file that cannot be opened costs the log, not the service; status and check name it, SIGUSR2 opens it")
    func fault() throws {
        let origin = try Self.origin()
        let victim = try home.write("precious\n", to: "victim")
        #expect(symlink(victim, path) == 0)
        let daemon = try daemon("")
        #expect(try daemon.get(origin.url("/5")).status == 200)
        let status = try daemon.tool("status").output
        #expect(status.contains("no request is logged") && status.contains("\(path)"), "\(status)")
        let check = try daemon.tool("config", "check", "--config", home.path("respite.toml"))
        #expect((check.output + check.errors).contains("is a symbolic link"), "\(check)")
        #expect(try daemon.admin("GET", "/metrics").text.contains("respite_access_log_dropped_lines_total 1\n"))
        #expect(lines(victim) == ["precious"])

        #expect(unlink(path) == 0)
        daemon.command.send(signal: SIGUSR2)
        _ = try daemon.command.waitForError("reopening") { $0.contains("access log reopened") ? () : nil }
        #expect(try daemon.get(origin.url("/5")).status == 200)
        #expect(try !daemon.tool("status").output.contains("no request is logged"))
        #expect(try daemon.stop() == 0)
        #expect(lines(path).count == 1)
        #expect(lines(victim) == ["precious"])
    }

    @Test("a full disk costs lines, which are counted; clients notice nothing")
    func fullDisk() throws {
        let origin = try Self.origin()
        let daemon = try daemon("", file: "/dev/full")
        for _ in 0..<3 { #expect(try daemon.get(origin.url("/5")).status == 200) }
        _ = try daemon.command.waitForError("the line about the disk") {
            $0.contains("access log not written file=/dev/full reason=\"No space left on device\"") ? () : nil
        }
        #expect(try daemon.stop() == 0)
    }

    @Test("a line that the disk cut off stands alone; the next one begins a line of its own")
    func tornLine() throws {
        let origin = try Self.origin()
        let daemon = try daemon("")
        func limitFiles(_ bytes: String) throws {
            let words = ["/usr/bin/prlimit", "--pid=\(daemon.command.pid)", "--fsize=\(bytes):"]
            try #require(try Command.run(words).status == 0)
        }
        try limitFiles("20")
        #expect(try daemon.get(origin.url("/5")).status == 200)
        _ = try daemon.command.waitForError("the line about the disk") {
            $0.contains("access log not written") ? () : nil
        }
        try limitFiles("unlimited")
        #expect(try daemon.get(origin.url("/6")).status == 200)
        #expect(try daemon.stop() == 0)
        #expect(lines(path).count == 2)
        #expect(lines(path).first?.utf8.count == 20 && lines(path).last?.contains(" target=") == true, "\(lines(path))")
    }

    @Test("one request of many is logged if the settings say so, at random")
    func sampling() throws {
        let origin = try Self.origin()
        let daemon = try daemon("access-sample = 10")
        let client = try daemon.client()
        for _ in 0..<1000 {
            #expect(try client.exchange("GET", origin.url("/5"), ["Host: \(origin.authority)"]).status == 200)
        }
        #expect(try daemon.stop() == 0)
        // 100 on average, with a standard deviation of 6.
        #expect((60...160).contains(lines(path).count), "\(lines(path).count)")
    }
}
