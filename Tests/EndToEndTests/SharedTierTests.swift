import RedisSupport
import TestSupport
import Testing

/// Several daemons behind which one Redis server is.
@Suite(.serialized)
struct SharedTierTests {
    private static let lasting = ["Cache-Control: max-age=600"]

    @Test("what one node has loaded another one gets from the shared server, and says so")
    func shared() throws {
        let redis = try RedisProcess()
        let origin = try ScriptedOrigin { exchange in
            let count = exchange.target == "/large" ? 700_000 : 10
            let body = String(repeating: "0123456789", count: count / 10)
            try exchange.reply("200 OK", Self.lasting + ["ETag: \"a\""], body: body)
        }
        let (one, two) = (try DaemonProcess.sharing(redis), try DaemonProcess.sharing(redis))
        for (number, path) in ["/small", "/large"].enumerated() {
            let first = try one.get(origin.url(path))
            #expect(!first.isHit)
            try one.wait(for: "respite_shared_stored_total", number + 1)
            let second = try two.get(origin.url(path))
            #expect(second.cacheStatus.contains("; hit") && second.cacheStatus.contains("detail=shared"))
            #expect(second.content == first.content && second["ETag"] == "\"a\"" && second["Age"] != nil)
            #expect(try two.get(origin.url(path)).cacheStatus.contains("detail") == false)
        }
        #expect(origin.requests.count == 2)
        // What came from the server does not go back to it.
        #expect(try two.metric("respite_shared_stored_total") == 0)
    }

    @Test("explain and show say what the shared server has for a URL")
    func described() throws {
        let redis = try RedisProcess()
        let origin = try ScriptedOrigin { exchange in try exchange.reply("200 OK", Self.lasting, body: "x") }
        let (one, two) = (try DaemonProcess.sharing(redis), try DaemonProcess.sharing(redis))
        let url = origin.url("/a")
        let none = "The shared server has no response that may answer."
        #expect(try two.tool("explain", url).output.contains(none))
        _ = try one.get(url)
        try one.wait(for: "respite_shared_stored_total", 1)
        #expect(try two.tool("explain", url).output.contains("The shared server has a response: 200, "))
        let unknown = try two.tool("show", url)
        #expect(unknown.status != 0 && unknown.errors.contains("here. The shared server has a response: 200"))
        #expect(try one.tool("show", url).output.contains("shared"))
        _ = try one.tool("purge", url)
        try two.wait(for: "respite_shared_purges_received_total", 1)
        #expect(try two.tool("explain", url).output.contains(none))
        // It was only looked at.
        #expect(try two.metric("respite_shared_hits_total") == 0 && origin.requests.count == 1)
        redis.end()
        #expect(try two.tool("explain", url).output.contains("The shared server cannot be asked: "))
    }

    @Test("responses for one credential stay on their node (C-20.2)")
    func credentials() throws {
        let redis = try RedisProcess()
        let origin = try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", Self.lasting, body: exchange.request["Authorization"] ?? "nobody")
        }
        let (one, two) = (try DaemonProcess.sharing(redis), try DaemonProcess.sharing(redis))
        #expect(try one.get(origin.url("/"), ["Authorization: a"]).text == "a")
        #expect(try two.get(origin.url("/"), ["Authorization: a"]).cacheStatus.contains("shared") == false)
        #expect(try two.get(origin.url("/")).text == "nobody")
        #expect(origin.requests.count == 3)
    }

    @Test("a purge on one node reaches the shared server: a node that asks it next gets what is new")
    func purge() throws {
        let redis = try RedisProcess()
        let origin = try ScriptedOrigin { exchange in try exchange.reply("200 OK", Self.lasting, body: "x") }
        let (one, two) = (try DaemonProcess.sharing(redis), try DaemonProcess.sharing(redis))
        _ = try one.get(origin.url("/"))
        try one.wait(for: "respite_shared_stored_total", 1)
        _ = try one.tool("purge", origin.url("/"))
        #expect(try !one.get(origin.url("/")).isHit)
        #expect(origin.requests.count == 2)
        try one.wait(for: "respite_shared_stored_total", 2)
        #expect(try two.get(origin.url("/")).cacheStatus.contains("detail=shared"))
    }

    @Test("without the server, and when it stops answering, each node goes on alone, and no request fails")
    func alone() throws {
        let redis = try RedisProcess()
        let origin = try ScriptedOrigin { exchange in try exchange.reply("200 OK", Self.lasting, body: "x") }
        let one = try DaemonProcess.sharing(redis, ["shared.timeout=20ms"])
        #expect(try one.get(origin.url("/1")).status == 200)
        redis.pause()
        for number in 2..<12 { #expect(try one.get(origin.url("/\(number)")).status == 200) }
        #expect(try one.metric("respite_shared_skipped_total") > 0)
        #expect(try one.metric("respite_shared_down") == 1)
        redis.end()
        #expect(try one.get(origin.url("/12")).status == 200)
        #expect(origin.requests.count == 12)
    }
}
