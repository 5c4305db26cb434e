import HTTPCore
import JSON
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// What commands that ask a daemon print.
struct ClientCommandTests {
    private static func rows(_ status: String) throws -> [[Table.Cell]] {
        StatusSection.all(try JSONReader.parse(Array(status.utf8))).flatMap(\.rows)
    }

    @Test("what a listing's line lacks is a dash; unknown members do not matter")
    func rows() throws {
        let resource = try JSONReader.parse(
            Array("{\"uri\":\"http://h.example/\",\"state\":\"loading\",\"new\":[1]}".utf8)
        )
        #expect(
            ListCommand.row(resource).map(\.plain) == ["loading", "-", "-", "-", "-", "-", "-", "http://h.example/"]
        )
    }

    @Test("status tells how each name server answers, and which one is slow or silent")
    func nameServers() throws {
        let json = """
            {"names":{"underWay":3,"refused":2,"servers":[
            {"address":"192.0.2.1:53","questions":40,"answers":38,"timeouts":2,"typicalMicroseconds":12600},
            {"address":"192.0.2.2:53","questions":9,"answers":0,"timeouts":9,"complaint":"it is silent"}]}}
            """
        let rows = try Self.rows(json)
            .map { $0.map(\.plain).joined(separator: ": ") }
        for row in [
            "name look-ups: 3 in progress; 2 refused",
            "name server: 192.0.2.1:53: 38 of 40 questions answered, in 13 ms",
            "name server: 192.0.2.2:53: 0 of 9 questions answered", "warning: it is silent",
        ] {
            #expect(rows.contains(row), "\(row) in \(rows)")
        }
    }

    @Test("status tells of invalidations that wait as soon as there is one", arguments: [(0, false), (1, true)])
    func pendingInvalidations(count: Int, isShown: Bool) throws {
        let json = "{\"store\":{\"state\":\"locked\",\"pendingInvalidations\":\(count)}}"
        let rows = try Self.rows(json).map { $0.map(\.plain) }
        #expect(rows.contains(["store pending invalidations", "\(count)"]) == isShown)
    }

    @Test("status tells what compression and shared bodies save, and nothing of what saves nothing")
    func space() throws {
        let json = """
            {"store":{"state":"ok","compressed":{"entries":1200,"contentBytes":2097152,"storedBytes":524288},
            "shared":{"bodies":1,"savedBytes":307200}}}
            """
        let rows = try Self.rows(json).map { $0.map(\.plain) }
        #expect(rows.contains(["store compressed", "2.0 MiB in 512 KiB (1200 responses)"]), "\(rows)")
        #expect(rows.contains(["store shared", "300 KiB saved (1 body file)"]), "\(rows)")
        let nothing = """
            {"store":{"state":"ok","compressed":{"entries":0,"contentBytes":0,"storedBytes":0},
            "shared":{"bodies":0,"savedBytes":0}}}
            """
        for status in [nothing, "{\"store\":{\"state\":\"ok\"}}"] {
            let names = try Self.rows(status).compactMap(\.first?.plain)
            #expect(!names.contains("store compressed") && !names.contains("store shared"))
        }
    }

    @Test("a store that works is green in status, any other is yellow", arguments: [("ok", 32), ("locked", 33)])
    func storeColor(state: String, color: Int) throws {
        let rows = try Self.rows("{\"store\":{\"state\":\"\(state)\"}}")
        let row = try #require(rows.first { $0.first?.plain == "store" })
        #expect(row.last?.plain == state && row.last?.color == color)
    }

    @Test("show tells all variants with their fields")
    func show() throws {
        let json = """
            {"uri":"http://h.example/","isLoading":true,"error":{"status":502,"message":"refused\\u001b"},"variants":[{"number":0,
            "state":"stale","status":200,"partition":"shared","vary":["accept"],"size":5,"ageSeconds":70,
            "lifetimeSeconds":60,"lifetimeSource":"max-age","ttlSeconds":-10,"isInvalidated":true,"stored":"then",
            "in":"store","fields":[["ETag","\\"x\\""],["odd"]]}]}
            """
        let text = ShowCommand.text(try JSONReader.parse(Array(json.utf8)))
        let under = ShowCommand.text(
            .object([
                .init(name: "isLoading", value: .boolean(true)), .init(name: "progress", value: .real(0.429)),
            ])
        )
        #expect(under.contains("loading   42 %"), "S-220")
        for part in [
            "loading   yes", "502 refused\u{FFFD}", "stale, invalidated", "1 min 10 s", "1 min (max-age)",
            "ETag: \"x\"",
        ] {
            #expect(text.contains(part), "\(part)")
        }
    }
}
