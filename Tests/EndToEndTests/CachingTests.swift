import Testing
import TestSupport

/// What is stored, for how long, and for which requests.
struct CachingTests {
    @Test(
        "what must not be stored is asked for again",
        arguments: [
            "Cache-Control: no-store", "Cache-Control: max-age=60, NO-STORE", "Cache-Control: private, max-age=60",
            "Vary: *\r\nCache-Control: max-age=60", "X-No: freshness", "Cache-Control: max-age=-1",
            "Expires: 0", "Cache-Control: max-age=60\r\nAge: 7200",
        ]
    )
    func notReused(fields: String) throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", [fields], body: "\($0.ordinal)") }
        let daemon = try DaemonProcess()
        #expect(try daemon.get(origin.url("/")).text == "1")
        #expect(try daemon.get(origin.url("/")).text == "2")
    }

    @Test(
        "what is fresh is served from the store",
        arguments: [
            "Cache-Control: max-age=60", "Cache-Control: s-maxage=60, max-age=0", "Cache-Control: max-age=99999999999",
            "Expires: Thu, 18 Aug 2050 02:01:18 GMT", "Last-Modified: Thu, 18 Aug 1994 02:01:18 GMT",
            "Cache-Control: max-age=60\r\nSet-Cookie: a=b",
        ]
    )
    func reused(fields: String) throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", [fields], body: "\($0.ordinal)") }
        let daemon = try DaemonProcess()
        #expect(try daemon.get(origin.url("/")).text == "1")
        let second = try daemon.get(origin.url("/"))
        #expect(second.text == "1")
        #expect(second.isHit)
    }

    @Test("fields of a stored response come back with order, spelling and duplicates (C-14.1)")
    func fieldsKept() throws {
        let sent = ["X-b: 1", "x-A: two words", "X-b: 3", "Link: <a>; rel=b", "Content-Encoding: unknown"]
        let origin = try ScriptedOrigin {
            try $0.reply("203 Sort of fine", ["Cache-Control: max-age=60"] + sent, body: "x")
        }
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/"))
        let hit = try daemon.get(origin.url("/"))
        #expect(hit.isHit)
        #expect(hit.status == 203)
        let names = ["x-b", "x-a", "link", "content-encoding"]
        let kept = hit.head.fields.lines.filter { names.contains($0.name.lowercased()) }
        #expect(kept.map { "\($0.name): \($0.value)" } == sent)
    }

    @Test("a received Age counts and grows (C-17.2), Date is the origin's (C-17.3)")
    func ageAndDate() throws {
        let date = httpDate(-30)
        let origin = try ScriptedOrigin {
            try $0.reply("200 OK", ["Cache-Control: max-age=600", "Age: 100", "Date: \(date)"], body: "x")
        }
        let daemon = try DaemonProcess()
        let miss = try daemon.get(origin.url("/"))
        let hit = try daemon.get(origin.url("/"))
        #expect(miss["Date"] == date && hit["Date"] == date)
        let age = try #require(hit["Age"].flatMap { Int($0) })
        #expect((100...110).contains(age))
    }

    @Test("HEAD is answered by a stored GET response, without content (C-23.5, H-090)")
    func head() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: "hello") }
        let daemon = try DaemonProcess()
        let client = try daemon.client()
        let host = "Host: \(origin.authority)"
        let cold = try client.exchange("HEAD", origin.url("/"), [host])
        #expect(cold.status == 200 && cold.content.isEmpty && cold["Content-Length"] == "5")
        #expect(try client.exchange("GET", origin.url("/"), [host]).text == "hello")
        let warm = try client.exchange("HEAD", origin.url("/"), [host])
        #expect(warm.isHit && warm["Content-Length"] == "5")
        #expect(try client.exchange("GET", origin.url("/"), [host]).text == "hello")
        #expect(origin.requests.map(\.method) == ["HEAD", "GET"])
    }

    @Test("Vary keeps a variant per value, absent matches absent only (C-11.1)")
    func vary() throws {
        let origin = try ScriptedOrigin { exchange in
            let language = exchange.request["Accept-Language"] ?? "none"
            try exchange.reply("200 OK", ["Cache-Control: max-age=60", "Vary: accept-language"], body: language)
        }
        let daemon = try DaemonProcess()
        for _ in 0..<2 {
            #expect(try daemon.get(origin.url("/"), ["Accept-Language: de"]).text == "de")
            #expect(try daemon.get(origin.url("/"), ["Accept-Language: en"]).text == "en")
            #expect(try daemon.get(origin.url("/")).text == "none")
        }
        #expect(origin.requests.count == 3)
        #expect(try daemon.get(origin.url("/"), ["Accept-Language: DE"]).isHit)
    }

    @Test("a successful unsafe method invalidates its target, a failed one does not (C-15.1, C-15.2)")
    func invalidation() throws {
        let origin = try ScriptedOrigin { exchange in
            _ = try exchange.content()
            switch exchange.request.method {
            case "GET": try exchange.reply("200 OK", ["Cache-Control: max-age=60"], body: "\(exchange.ordinal)")
            case "DELETE": try exchange.reply("403 Forbidden")
            default: try exchange.reply("204 No Content")
            }
        }
        let daemon = try DaemonProcess()
        #expect(try daemon.get(origin.url("/")).text == "1")
        #expect(try daemon.fetch("DELETE", origin.url("/")).status == 403)
        #expect(try daemon.get(origin.url("/")).isHit)
        #expect(try daemon.fetch("M-SEARCH", origin.url("/")).status == 204)
        #expect(try daemon.get(origin.url("/")).text == "4")
        #expect(try daemon.fetch("POST", origin.url("/"), content: Array("a=b".utf8)).status == 204)
        #expect(try daemon.get(origin.url("/")).text == "6")
    }

    @Test("only-if-cached never asks the origin: 504 when nothing is stored (C-21.4)")
    func onlyIfCached() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: "x") }
        let daemon = try DaemonProcess()
        #expect(try daemon.get(origin.url("/"), ["Cache-Control: only-if-cached"]).status == 504)
        #expect(origin.requests.isEmpty)
        _ = try daemon.get(origin.url("/"))
        #expect(try daemon.get(origin.url("/"), ["Cache-Control: only-if-cached"]).isHit)
    }

    @Test("a GET with content is neither answered from the store nor stored (H-048)")
    func getWithContent() throws {
        let origin = try ScriptedOrigin { exchange in
            let content = String(decoding: try exchange.content(), as: UTF8.self)
            try exchange.reply("200 OK", ["Cache-Control: max-age=60"], body: "[\(content)]")
        }
        let daemon = try DaemonProcess()
        #expect(try daemon.get(origin.url("/")).text == "[]")
        #expect(try daemon.fetch("GET", origin.url("/"), content: Array("odd".utf8)).text == "[odd]")
        #expect(try daemon.get(origin.url("/")).text == "[]")
        #expect(origin.requests.count == 2)
    }

    @Test("a stored complete response answers a single range (C-16.1)")
    func range() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: "0123456789") }
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/"))
        for (range, text, content) in [
            ("bytes=0-1", "bytes 0-1/10", "01"), ("bytes=7-", "bytes 7-9/10", "789"), ("bytes=-1", "bytes 9-9/10", "9"),
        ] {
            let response = try daemon.get(origin.url("/"), ["Range: \(range)"])
            #expect(response.status == 206 && response.text == content && response["Content-Range"] == text)
        }
        #expect(try daemon.get(origin.url("/"), ["Range: bytes=10-"]).status == 416)
        #expect(try daemon.get(origin.url("/"), ["Range: lines=1-2"]).status == 200)
        #expect(origin.requests.count == 1)
    }

    @Test(
        "with nothing stored a Range goes to the origin unchanged, and its 206 is never the whole (C-16.2, C-16.4, H-109)"
    )
    func coldRange() throws {
        let origin = try ScriptedOrigin { exchange in
            guard exchange.request["Range"] == "bytes=0-1" else {
                return try exchange.reply("200 OK", ["Cache-Control: max-age=60"], body: "0123456789")
            }
            let fields = ["Cache-Control: max-age=60", "Content-Range: bytes 0-1/10"]
            try exchange.reply("206 Partial Content", fields, body: "01")
        }
        let daemon = try DaemonProcess()
        let partial = try daemon.get(origin.url("/"), ["Range: bytes=0-1"])
        #expect(partial.status == 206 && partial.text == "01")
        let whole = try daemon.get(origin.url("/"))
        #expect(whole.status == 200 && whole.text == "0123456789")
    }
}
