import Glibc
import RedisSupport
import TestSupport
import Testing

/// A purge on one daemon reaches the others that share a Redis server.
@Suite(.serialized)
struct SharedPurgeTests {
    private static let lasting = ["Cache-Control: max-age=600", "Cache-Tag: news"]

    /// An origin that says how often each URL was asked for.
    private func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            if exchange.request.method == "POST" { return try exchange.reply("204 No Content") }
            let fields = Self.lasting + ["ETag: \"\(exchange.ordinal)\""]
            try exchange.reply("200 OK", fields, body: "version \(exchange.ordinal)")
        }
    }

    /// Loads a URL on one daemon, and has the other one get it from there.
    private func share(_ url: String, _ one: DaemonProcess, _ two: DaemonProcess, _ count: Int) throws {
        #expect(try one.get(url).text == "version 1")
        try one.wait(for: "respite_shared_stored_total", count)
        #expect(try two.get(url).text == "version 1")
        #expect(try two.get(url).isHit)
    }

    @Test("by URL, tag, filter, mark or unsafe request: the other node's next response is new")
    func kinds() throws {
        let redis = try RedisProcess()
        let origin = try origin()
        let (one, two) = (try DaemonProcess.sharing(redis), try DaemonProcess.sharing(redis))
        let purges: [(String, (String) throws -> Void)] = [
            ("/url", { _ = try one.tool("purge", $0) }),
            ("/filter", { _ in _ = try one.tool("purge", "http://*/filter", "--yes") }),
            ("/tag", { _ in _ = try one.tool("purge", "--tag", "news") }),
            ("/mark", { _ = try one.admin("POST", "/v1/invalidate", json: #"{"uri": "\#($0)"}"#) }),
            (
                "/unsafe",
                { url in
                    let fields = ["Host: \(origin.authority)", "Content-Length: 0"]
                    _ = try one.client().exchange("POST", url, fields)
                }
            ),
        ]
        for (number, (path, purge)) in purges.enumerated() {
            let url = origin.url(path)
            try share(url, one, two, number + 1)
            let before = try two.metric("respite_shared_purges_received_total")
            try purge(url)
            try two.wait(for: "respite_shared_purges_received_total", before + 1)
            try waitForNew(two, url)
        }
        #expect(try two.metric("respite_shared_following") == 1)
    }

    /// The change is counted a moment before it is made.
    private func waitForNew(_ daemon: DaemonProcess, _ url: String) throws {
        try askAgain(for: "a new version of \(url)", { try daemon.get(url).text }, until: { $0 != "version 1" })
    }

    @Test("a purge of a URL reaches what query rules map it to, on the server and on other nodes")
    func rules() throws {
        let redis = try RedisProcess()
        let origin = try origin()
        let file = "[[rule]]\nmatch = \"**\"\ndrop-query = [\"utm_*\"]\n"
        let daemons = try (0..<3).map { _ in try DaemonProcess.sharing(redis, file: file) }
        let url = origin.url("/a")
        try share(url + "?utm_x=1", daemons[0], daemons[1], 1)
        _ = try daemons[0].tool("purge", url + "?utm_x=2")
        try waitForNew(daemons[1], url + "?utm_x=3")
        // This one has only what the server has.
        #expect(try daemons[2].get(url).text != "version 1")
    }

    @Test("a node that was away when something was purged does not serve it after its start")
    func away() throws {
        let redis = try RedisProcess()
        let origin = try origin()
        let home = TemporaryDirectory()
        let one = try DaemonProcess.sharing(redis)
        var two: DaemonProcess? = try DaemonProcess.sharing(redis, home: home)
        let (gone, kept) = (origin.url("/gone"), origin.url("/kept"))
        try share(gone, one, try #require(two), 1)
        try share(kept, one, try #require(two), 2)
        // Its position is written a second after the change.
        _ = try one.tool("purge", origin.url("/other"))
        try #require(two).wait(for: "respite_shared_purges_received_total", 1)
        let position = home.path + "/store/shared.position"
        try askAgain(for: position, { access(position, F_OK) }, until: { $0 == 0 })
        try #require(two).stop()
        two = nil
        _ = try one.tool("purge", gone)
        try one.wait(for: "respite_shared_purges_sent_total", 2)
        let again = try DaemonProcess.sharing(redis, home: home)
        #expect(try again.get(gone).text == "version 2")
        try again.wait(for: "respite_shared_following", 1)
        let rest = try again.get(kept)
        #expect(rest.text == "version 1" && rest.isHit)
    }

    @Test("a server that lost its stream: what a node has is validated before its next use")
    func lost() throws {
        let origin = try origin()
        var redis: RedisProcess? = try RedisProcess(.plain)
        let port = try #require(redis).port
        let words = ["shared.url=redis://127.0.0.1:\(port)", "shared.timeout=2s"]
        let one = try DaemonProcess(words.flatMap { ["--set", $0] })
        let url = origin.url("/a")
        _ = try one.get(url)
        _ = try one.tool("purge", origin.url("/other"))
        try one.wait(for: "respite_shared_following", 1)
        let before = try one.metric("respite_shared_resets_total")
        redis?.end()
        redis = nil
        let kept = try one.get(url)
        #expect(kept.isHit, "\(kept.cacheStatus)")
        let empty = try RedisProcess(.plain, ["--port", "\(port)"])
        try one.wait(for: "respite_shared_resets_total", before + 1)
        try askAgain(for: "another request for \(url) at the origin") {
            _ = try one.get(url)
            return origin.requests(for: "/a").count
        } until: {
            $0 >= 2
        }
        withExtendedLifetime(empty) {}
    }

    @Test("garbage in the stream is counted, and the purges behind it are made")
    func garbage() throws {
        let redis = try RedisProcess()
        let origin = try origin()
        let (one, two) = (try DaemonProcess.sharing(redis), try DaemonProcess.sharing(redis))
        try share(origin.url("/a"), one, two, 1)
        for word in ["purge", "matching", "what"] {
            let value = String(repeating: "[", count: 9_000)
            try redis.run("XADD", "respite:{purges}", "*", "p", "x", "k", word, "v", value)
        }
        try two.wait(for: "respite_shared_purges_unreadable_total", 3)
        _ = try one.tool("purge", origin.url("/a"))
        try waitForNew(two, origin.url("/a"))
    }
}
