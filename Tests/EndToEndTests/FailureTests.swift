import Dispatch
import Testing
import TestSupport

/// What clients get when an origin misbehaves.
struct FailureTests {
    @Test("an unreachable origin is 502 with Proxy-Status (H-148, C-24.2)")
    func unreachable() throws {
        let daemon = try DaemonProcess()
        let response = try daemon.get("http://127.0.0.1:\(try unusedPort())/")
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("error=connection_refused") == true)
        #expect(response["Content-Type"]?.hasPrefix("application/problem+json") == true)
        #expect(response["Cache-Control"] == "no-store")
    }

    @Test("a name that does not exist is 502 with a DNS error (H-140)")
    func unknownName() throws {
        let daemon = try DaemonProcess()
        let response = try daemon.get("http://no-such-name.invalid/")
        #expect(response.status == 502 || response.status == 504)
        #expect(response["Proxy-Status"]?.contains("error=dns_") == true)
    }

    @Test("an origin that says nothing is 504 after first-byte-timeout (H-149)")
    func silent() throws {
        let over = Gate()
        let origin = try ScriptedOrigin { exchange in
            if exchange.target == "/silent" { try over.wait("the time-out") }
            try exchange.reply(body: "x")
        }
        let daemon = try DaemonProcess(["--set", "upstream.first-byte-timeout=300ms"])
        let slow = Pending { try daemon.get(origin.url("/silent")) }
        try origin.wait(for: 1, of: "/silent")
        #expect(try daemon.get(origin.url("/other")).text == "x")
        let response = try slow.result()
        over.open()
        #expect(response.status == 504)
        #expect(response["Proxy-Status"]?.contains("error=http_response_timeout") == true)
    }

    @Test(
        "an unusable response is 502 and not stored (H-091, H-096, H-099, H-148)",
        arguments: [
            "", "garbage\r\n\r\n", "HTTP/1.1 99 Low\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
        ]
    )
    func badResponse(text: String) throws {
        let origin = try ScriptedOrigin { exchange in
            if exchange.target == "/good" { return try exchange.reply(body: "x") }
            try exchange.sendRaw(text)
            exchange.close()
        }
        let daemon = try DaemonProcess()
        let response = try daemon.get(origin.url("/"))
        #expect(response.status == 502)
        #expect(response["Proxy-Status"]?.contains("error=") == true)
        #expect(try daemon.get(origin.url("/good")).text == "x")
    }

    @Test(
        "a truncated response is cut for the client and never stored (H-101, H-111)",
        arguments: ["Content-Length: 100", "Transfer-Encoding: chunked", "Connection: close"]
    )
    func truncated(framing: String) throws {
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=60"]
            if exchange.ordinal > 1 { return try exchange.reply("200 OK", fields, body: "whole") }
            try exchange.sendHead("200 OK", fields + [framing])
            try exchange.sendRaw(framing.hasPrefix("Transfer") ? "5\r\nhello\r\n" : "hello")
            framing.hasPrefix("Connection") ? exchange.reset() : exchange.close()
        }
        let daemon = try DaemonProcess()
        let client = try daemon.client()
        try client.send("GET", origin.url("/"), ["Host: \(origin.authority)"])
        let outcome = Result { try client.readResponse() }
        switch outcome {
        case .success(let response): #expect(response.status == 502)
        case .failure: break
        }
        let second = try daemon.get(origin.url("/"))
        #expect(second.text == "whole")
        #expect(origin.requests.count == 2)
    }

    @Test("a failed load is remembered for retry-time, and said to be remembered (C-25.3)")
    func remembered() throws {
        let origin = try ScriptedOrigin { $0.close() }
        let daemon = try DaemonProcess(["--set", "upstream.retry-time=60s"])
        #expect(try daemon.get(origin.url("/")).status == 502)
        let asked = origin.requests.count
        let again = try daemon.get(origin.url("/"))
        #expect(again.status == 502)
        #expect(origin.requests.count == asked)
        #expect(try daemon.get(origin.url("/elsewhere")).status == 502)
        #expect(origin.requests.count > asked)
    }

    @Test("an origin that is gone: stale is served unless the response forbids it (C-7.2, C-7.3)")
    func staleWhenGone() throws {
        let origin = try ScriptedOrigin { exchange in
            let strict = exchange.target == "/strict" ? ", must-revalidate" : ""
            try exchange.reply(
                "200 OK",
                ["Cache-Control: max-age=60\(strict)", "Age: 100", "ETag: \"a\""],
                body: "old"
            )
        }
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/"))
        _ = try daemon.get(origin.url("/strict"))
        origin.stop()
        let stale = try daemon.get(origin.url("/"))
        #expect(stale.status == 200 && stale.text == "old")
        let strict = try daemon.get(origin.url("/strict"))
        #expect(strict.status == 504 && strict.text.contains("must-revalidate"))
        #expect(strict["ETag"] == nil)
        #expect(try daemon.get(origin.url("/never-seen")).status == 502)
    }

    @Test("a 5xx is relayed unless stale-if-error covers it (C-7.4)")
    func staleIfError() throws {
        let origin = try ScriptedOrigin { exchange in
            if exchange.ordinal > 1 { return try exchange.reply("503 Service Unavailable", body: "down") }
            let more = exchange.target == "/covered" ? ", stale-if-error=600" : ""
            try exchange.reply("200 OK", ["Cache-Control: max-age=60\(more)", "Age: 100", "ETag: \"a\""], body: "old")
        }
        let daemon = try DaemonProcess()
        for target in ["/covered", "/plain"] { _ = try daemon.get(origin.url(target)) }
        #expect(try daemon.get(origin.url("/covered")).text == "old")
        let plain = try daemon.get(origin.url("/plain"))
        #expect(plain.status == 503 && plain.text == "down")
    }

    @Test("a POST on a reused connection that dies is not sent twice, a GET is (H-089)")
    func retry() throws {
        let origin = try ScriptedOrigin { exchange in
            let isFirstOnConnection = exchange.target == "/warm"
            guard isFirstOnConnection || exchange.ordinal > 1 else { return exchange.close() }
            try exchange.reply("200 OK", ["Cache-Control: no-store"], body: exchange.target)
        }
        let daemon = try DaemonProcess(loops: 1)
        _ = try daemon.get(origin.url("/warm"))
        #expect(try daemon.get(origin.url("/get")).text == "/get")
        _ = try daemon.get(origin.url("/warm"))
        #expect(try daemon.fetch("POST", origin.url("/post"), content: [0x61]).status == 502)
        #expect(origin.requests(for: "/get").count == 2)
        #expect(origin.requests(for: "/post").count == 1)
    }

    @Test("bytes behind a response are never the next response (H-104)")
    func surplus() throws {
        let isSent = DispatchSemaphore(value: 0)
        let origin = try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", ["Cache-Control: no-store"], body: exchange.target)
            guard exchange.target == "/1" else { return }
            defer { isSent.signal() }
            try exchange.sendRaw("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        }
        let daemon = try DaemonProcess(loops: 1)
        #expect(try daemon.get(origin.url("/1")).text == "/1")
        // What comes behind the next request cannot be told from its answer.
        isSent.wait()
        #expect(try daemon.get(origin.url("/2")).text == "/2")
        #expect(origin.requests.map(\.connection) == [0, 1])
    }

    @Test("a first address that swallows everything delays the answer by no more than a moment (RFC 8305)")
    func blackhole() throws {
        // A full backlog: further SYNs are dropped.
        let hole = try TestListener(host: 2, backlog: 0)
        let filler = try TestSocket(host: 2, port: hole.port)
        let origin = try ScriptedOrigin(host: 3, port: hole.port) { try $0.reply(body: "x") }
        // One address after the other would take an hour.
        let daemon = try DaemonProcess([
            "--set", "hosts={ \"two.example\" = [\"127.0.0.2\", \"127.0.0.3\"] }", "--set",
            "upstream.connect-timeout=1h",
        ])
        #expect(try daemon.get("http://two.example:\(origin.port)/").text == "x")
        filler.interrupt()
    }
}
