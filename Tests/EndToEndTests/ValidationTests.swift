import Testing
import TestSupport

/// Stale responses are validated, and clients' own conditions are judged against the store.
struct ValidationTests {
    /// Answers 304 to a matching condition, else the whole.
    private static func origin(validator: String, condition: String, value: String) throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=0", validator, "X-Ordinal: \(exchange.ordinal)"]
            if exchange.request[condition] == value {
                try exchange.reply("304 Not Modified", fields)
            } else {
                try exchange.reply("200 OK", fields, body: "content")
            }
        }
    }

    @Test(
        "a stale response is validated with its own validator; the 304 freshens it (C-13.1, C-14.3)",
        arguments: [
            ("ETag: \"v1\"", "If-None-Match", "\"v1\""), ("ETag: W/\"v1\"", "If-None-Match", "W/\"v1\""),
            (
                "Last-Modified: Thu, 18 Aug 1994 02:01:18 GMT", "If-Modified-Since", "Thu, 18 Aug 1994 02:01:18 GMT"
            ),
        ]
    )
    func revalidation(validator: String, condition: String, value: String) throws {
        let origin = try Self.origin(validator: validator, condition: condition, value: value)
        let daemon = try DaemonProcess()
        #expect(try daemon.get(origin.url("/")).text == "content")
        for ordinal in 2...3 {
            let response = try daemon.get(origin.url("/"))
            #expect(response.status == 200 && response.text == "content")
            #expect(response["X-Ordinal"] == "\(ordinal)")
            #expect(response["Content-Length"] == "7")
            #expect(response.cacheStatus.contains("fwd=stale"))
            #expect(response.cacheStatus.contains("fwd-status=304"))
        }
        #expect(origin.requests.map { $0[condition] } == [nil, value, value])
    }

    @Test("a 304 with a new lifetime makes the stored response fresh again (C-14.4)")
    func freshened() throws {
        let origin = try ScriptedOrigin { exchange in
            if exchange.ordinal == 1 {
                try exchange.reply("200 OK", ["Cache-Control: max-age=60", "Age: 100", "ETag: \"a\""], body: "body")
            } else {
                try exchange.reply("304 Not Modified", ["Cache-Control: max-age=60", "ETag: \"a\""])
            }
        }
        let daemon = try DaemonProcess()
        for _ in 0..<4 { #expect(try daemon.get(origin.url("/")).text == "body") }
        #expect(origin.requests.count == 2)
    }

    @Test("a validation that brings a new response replaces the stored one")
    func replaced() throws {
        let origin = try ScriptedOrigin { exchange in
            let age = exchange.ordinal == 1 ? "Age: 100" : "Age: 0"
            let fields = ["Cache-Control: max-age=60", age, "ETag: \"\(exchange.ordinal)\""]
            try exchange.reply("200 OK", fields, body: "\(exchange.ordinal)")
        }
        let daemon = try DaemonProcess()
        #expect(try daemon.get(origin.url("/")).text == "1")
        #expect(try daemon.get(origin.url("/")).text == "2")
        let third = try daemon.get(origin.url("/"))
        #expect(third.text == "2" && third.isHit)
    }

    @Test("no-cache in a response means validation before every use (C-6.4)")
    func noCache() throws {
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: no-cache, max-age=600", "ETag: \"a\""]
            let holds = exchange.request["If-None-Match"] == "\"a\""
            try holds ? exchange.reply("304 Not Modified", fields) : exchange.reply("200 OK", fields, body: "x")
        }
        let daemon = try DaemonProcess()
        for _ in 0..<3 { #expect(try daemon.get(origin.url("/")).text == "x") }
        #expect(origin.requests.map { $0["If-None-Match"] } == [nil, "\"a\"", "\"a\""])
    }

    @Test("a client's condition on a fresh response is answered from the store (C-12.2, C-12.3, C-12.4)")
    func clientConditions() throws {
        let date = "Thu, 18 Aug 1994 02:01:18 GMT"
        let origin = try ScriptedOrigin {
            try $0.reply(
                "200 OK",
                ["Cache-Control: max-age=60", "ETag: \"abc\"", "Last-Modified: \(date)", "Vary: X-V"],
                body: "x"
            )
        }
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/"))
        for condition in [
            "If-None-Match: \"abc\"", "If-None-Match: \"q\", W/\"abc\"", "If-None-Match: *",
            "If-Modified-Since: \(date)", "If-None-Match: \"abc\"\r\nIf-Modified-Since: Thu, 18 Aug 1993 02:01:18 GMT",
        ] {
            let response = try daemon.get(origin.url("/"), [condition])
            #expect(response.status == 304, "\(condition)")
            #expect(response["ETag"] == "\"abc\"" && response["Vary"] == "X-V" && response["Age"] != nil)
            #expect(response.content.isEmpty && response["Date"] != nil && response["Cache-Control"] == "max-age=60")
        }
        for condition in ["If-None-Match: \"other\"", "If-Modified-Since: Thu, 18 Aug 1993 02:01:18 GMT"] {
            #expect(try daemon.get(origin.url("/"), [condition]).status == 200, "\(condition)")
        }
        #expect(origin.requests.count == 1)
    }

    @Test("a conditional request on a stale response: our validator goes out, the client's is judged after (C-12.5)")
    func clientConditionOnStale() throws {
        let origin = try Self.origin(validator: "ETag: \"v1\"", condition: "If-None-Match", value: "\"v1\"")
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/"))
        #expect(try daemon.get(origin.url("/"), ["If-None-Match: \"v1\""]).status == 304)
        let other = try daemon.get(origin.url("/"), ["If-None-Match: \"v0\""])
        #expect(other.status == 200 && other.text == "content")
        #expect(origin.requests.map { $0["If-None-Match"] } == [nil, "\"v1\"", "\"v1\""])
    }

    @Test("a client's no-cache validates a fresh response instead of fetching it blindly (C-21.4)")
    func clientNoCache() throws {
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=600", "ETag: \"a\""]
            let holds = exchange.request["If-None-Match"] == "\"a\""
            try holds ? exchange.reply("304 Not Modified", fields) : exchange.reply("200 OK", fields, body: "x")
        }
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/"))
        #expect(try daemon.get(origin.url("/"), ["Cache-Control: no-cache"]).text == "x")
        #expect(origin.requests.map { $0["If-None-Match"] } == [nil, "\"a\""])
    }

    @Test("stale-while-revalidate answers at once and refreshes once in the background (C-7.1)")
    func staleWhileRevalidate() throws {
        let hold = Gate()
        let origin = try ScriptedOrigin { exchange in
            if exchange.ordinal > 1 { try hold.wait("the stale answers") }
            let age = exchange.ordinal == 1 ? 100 : 0
            let fields = ["Cache-Control: max-age=60, stale-while-revalidate=600", "Age: \(age)"]
            try exchange.reply("200 OK", fields, body: "\(exchange.ordinal)")
        }
        let daemon = try DaemonProcess()
        let events = try daemon.events()
        #expect(try daemon.get(origin.url("/")).text == "1")
        _ = try events.next("the first response") { $0.contains("newData") }
        for _ in 0..<5 { #expect(try daemon.get(origin.url("/")).text == "1") }
        hold.open()
        _ = try events.next("the refreshed response") { $0.contains("newData") }
        #expect(try daemon.get(origin.url("/")).text == "2")
        #expect(origin.requests.count == 2)
    }
}
