import Administration
import Exchanges
import HTTPCore
import ResourceCore
import ResourceModel
import Testing

/// Streams of events: how they begin, and what loads say in them.
@Suite struct EventStateTests {
    private typealias Listener = EventTests.Listener

    @Test(
        "HEAD of a stream has its fields and ends at once",
        arguments: ["/v1/events", "/v1/events?uri=http://h.example/a"]
    )
    func head(path: String) throws {
        let admin = try TestAdmin()
        let answer = try admin.send("HEAD", path, [admin.host, TestAdmin.bearer])
        #expect(answer.status == 200 && answer["Content-Type"] == "text/event-stream" && answer.content.isEmpty)
    }

    @Test("a stream of one resource begins with its state; of one that is not there with the URL alone")
    func snapshot() throws {
        let admin = try TestAdmin()
        let held = try admin.hold("http://h.example/a", "four")
        #expect(
            try Listener(admin, query: "?uri=http://h.example/a").next() == """
                event: snapshot
                data: {"uri":"http://h.example/a","isLoading":false,"status":200,"size":4,"state":"fresh","ttlSeconds":30,\
                "partition":"shared"}
                """
        )
        #expect(
            try Listener(admin, query: "?uri=http://h.example/none").next() == """
                event: snapshot
                data: {"uri":"http://h.example/none","isLoading":false}
                """
        )
        withExtendedLifetime(held) {}
    }

    @Test("a stream of one resource has no events of others; one resource and a filter are too much")
    func one() throws {
        let admin = try TestAdmin()
        let listener = try Listener(admin, query: "?uri=http://h.example/b")
        #expect(try listener.next().hasPrefix("event: snapshot"))
        let held = try ["a", "b", "bb"].map { try admin.hold("http://h.example/\($0)") }
        #expect(try listener.next().contains("http://h.example/b\""))
        let last = try admin.hold("http://h.example/b", "again")
        #expect(try listener.next().contains(#""size":5"#))
        #expect(try admin.get("/v1/events?uri=http://h.example/a&filter=a").status == 400)
        #expect(try admin.get("/v1/events?uri=/a").status == 400)
        withExtendedLifetime((held, last)) {}
    }

    private static func name(_ event: String) -> String { Listener.value("event", event) }

    @Test("a load of which no progress was told ends without one, and so does one that fails")
    func quick() throws {
        let admin = try TestAdmin(hasStore: false)
        let listener = try Listener(admin)
        var held: [Resource] = []
        for (reply, expected) in [
            (.response(200, [("Cache-Control", "max-age=60")], "hello"), "newData"),
            (.failure(.connectionRefused), "error"),
        ] as [(PromptProvider.Reply, String)] {
            admin.service.defaultProvider = PromptProvider { _ in reply }
            let resource = admin.service.resource(for: try TargetURI(parsing: "http://h.example/\(expected)"))
            held.append(resource)
            resource.load()
            #expect(try Self.name(listener.next()) == "requested")
            let event = try listener.next()
            #expect(Self.name(event) == expected)
            #expect(event.contains(#""reason":{"status":502,"type":"connection_refused""#) == (expected == "error"))
        }
    }

    @Test("no more bytes of events are kept than 4 MiB, however few events they are")
    func bytes() throws {
        let admin = try TestAdmin()
        let witness = try Listener(admin)
        let held = try admin.hold("http://h.example/" + String(repeating: "a", count: 8000))
        let id = Listener.value("id", try witness.next())
        func change(_ count: Int) throws {
            for _ in 0..<count { held.overrideLocalData([1], fields: Fields()) }
            for _ in 0..<count { _ = try witness.next() }
        }
        try change(400)
        #expect(try Self.name(Listener(admin, last: id).next()) == "newData")
        try change(200)
        let late = try Listener(admin, last: id)
        let gap = try late.next()
        #expect(Self.name(gap) == "gap")
        let missed = try #require(Int(Listener.value("data", gap).filter(\.isNumber)))
        #expect(missed > 200 && missed < 600)
        let next = Listener.value("id", try late.next())
        #expect(next.hasSuffix("-\(missed + 2)"))
        try change(100)
        #expect(try Self.name(Listener(admin, last: next).next()) == "newData")
    }

    @Test(
        "streams of the log and of requests show that they live, too",
        arguments: ["/v1/log/stream", "/v1/requests/stream"]
    )
    func heartbeat(path: String) throws {
        let admin = try TestAdmin { _, options in
            (options.heartbeat, options.progressInterval) = (.milliseconds(5), .milliseconds(5))
            options.recentRequests = 1
        }
        let listener = try Listener(admin, path)
        for _ in 0..<2 { #expect(try listener.next() == ":") }
    }
}
