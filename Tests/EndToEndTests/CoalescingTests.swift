import Testing
import TestSupport

/// Many clients, one load.
struct CoalescingTests {
    private static let half = [UInt8](repeating: 0x61, count: 40_000)
    private static let rest = [UInt8](repeating: 0x62, count: 40_000)

    @Test(
        "200 clients of two routes share one load and stream while it runs (C-23.1, C-23.2)",
        arguments: ["Cache-Control: max-age=60", "X-No: freshness"]
    )
    func sharedLoad(fields: String) throws {
        let asked = Gate()
        let started = Tally()
        let origin = try ScriptedOrigin { exchange in
            // Without freshness only those who asked before the head may share (C-23.0).
            try asked.wait("all clients to have asked")
            try exchange.sendHead("200 OK", [fields, "Content-Length: 80000"])
            try exchange.socket.send(Self.half)
            try started.wait(for: 200, "clients with half of the content")
            try exchange.socket.send(Self.rest)
        }
        let daemon = try DaemonProcess(["--set", "limits.max-connections-per-peer=1000"])
        let crowd = try Crowd(200, of: daemon)
        for (index, client) in crowd.clients.enumerated() {
            let head = daemon.target(origin.url("/cold"), by: index.isMultiple(of: 2) ? .forward : .prefix)
            try client.send("GET", head.target, head.fields)
        }
        try crowd.awaitRead()
        asked.open()
        for client in crowd.clients {
            #expect(try client.readHead().status == 200)
            #expect(try client.reader.content(exactly: Self.half.count) == Self.half)
            started.add()
        }
        for client in crowd.clients {
            #expect(try client.reader.allContent() == Self.rest)
        }
        #expect(origin.requests.count == 1)
    }

    @Test("a client that joins in the middle of a large body gets it from byte 0 (C-23.2)")
    func lateJoiner() throws {
        let joined = Gate()
        let piece = [UInt8]((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendHead("200 OK", ["Cache-Control: max-age=60", "Content-Length: \(6 << 20)"])
            for _ in 0..<4 { try exchange.socket.send(piece) }
            try joined.wait("the late client")
            for _ in 0..<2 { try exchange.socket.send(piece) }
        }
        let daemon = try DaemonProcess()
        let early = try daemon.client()
        try early.send("GET", origin.url("/big"), ["Host: \(origin.authority)"])
        #expect(try early.readHead().status == 200)
        for _ in 0..<4 { #expect(try early.reader.content(exactly: piece.count) == piece) }

        let late = try daemon.client()
        try late.send("GET", origin.url("/big"), ["Host: \(origin.authority)"])
        #expect(try late.readHead().status == 200)
        for _ in 0..<4 { #expect(try late.reader.content(exactly: piece.count) == piece) }
        joined.open()
        for reader in [early.reader, late.reader] {
            #expect(try reader.allContent() == piece + piece)
        }
        #expect(origin.requests.count == 1)
    }

    @Test("followers of what may not be shared go on side by side, each with its own answer (C-23.4)")
    func unshareable() throws {
        let asked = Gate()
        let arrived = Tally()
        let origin = try ScriptedOrigin { exchange in
            if exchange.ordinal == 1 {
                try asked.wait("all clients to have asked")
            } else {
                arrived.add()
                try arrived.wait(for: 19, "all followers at the origin at once")
            }
            try exchange.reply("200 OK", ["Cache-Control: no-store"], body: "\(exchange.ordinal)")
        }
        let daemon = try DaemonProcess()
        let crowd = try Crowd(20, of: daemon)
        for client in crowd.clients { try client.send("GET", origin.url("/"), ["Host: \(origin.authority)"]) }
        try crowd.awaitRead()
        asked.open()
        let texts = try crowd.clients.map { try $0.readResponse().text }
        #expect(Set(texts).count == 20)
        #expect(origin.requests.count == 20)
    }

    @Test("followers whose Vary selection differs get their own variant (C-23.1)")
    func varyingFollowers() throws {
        let hold = Gate()
        let origin = try ScriptedOrigin { exchange in
            if exchange.ordinal == 1 { try hold.wait("the followers") }
            let fields = ["Cache-Control: max-age=60", "Vary: X-Kind"]
            try exchange.reply("200 OK", fields, body: exchange.request["X-Kind"] ?? "none")
        }
        let daemon = try DaemonProcess()
        let kinds = ["a", "b", "a", "b", "c", "a"]
        let leader = Pending { try daemon.get(origin.url("/"), ["X-Kind: a"]).text }
        try origin.wait(for: 1, of: "/")
        let asked = Tally()
        let followers = kinds.map { kind in
            Pending {
                let client = try daemon.client()
                try client.send("GET", origin.url("/"), ["Host: \(origin.authority)", "X-Kind: \(kind)"])
                asked.add()
                return try client.readResponse().text
            }
        }
        try asked.wait(for: kinds.count)
        hold.open()
        #expect(try leader.result() == "a")
        #expect(try followers.map { try $0.result() } == kinds)
        #expect(origin.requests.count == 3)
    }

    @Test("the leader leaves, the followers get the whole answer (H-150)")
    func leaderLeaves() throws {
        let gone = Gate()
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendHead("200 OK", ["Cache-Control: max-age=60", "Content-Length: 80000"])
            try exchange.socket.send(Self.half)
            try gone.wait("the leader to leave")
            try exchange.socket.send(Self.rest)
        }
        let daemon = try DaemonProcess()
        var leader: WireClient? = try daemon.client()
        try leader?.send("GET", origin.url("/"), ["Host: \(origin.authority)"])
        _ = try leader?.readHead()
        let follower = try daemon.client()
        try follower.send("GET", origin.url("/"), ["Host: \(origin.authority)"])
        _ = try follower.readHead()
        let begin = try follower.reader.content(exactly: Self.half.count)
        leader?.socket.resetWhenClosed()
        leader = nil
        gone.open()
        #expect(try begin + follower.reader.allContent() == Self.half + Self.rest)
        #expect(origin.requests.count == 1)
    }

    @Test("many stale hits cause one conditional request (C-23.6)")
    func collapsedValidation() throws {
        let hold = Gate()
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=60", "ETag: \"a\""]
            if exchange.ordinal == 1 { return try exchange.reply("200 OK", fields + ["Age: 100"], body: "body") }
            try hold.wait("the clients")
            try exchange.reply("304 Not Modified", fields)
        }
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/"))
        let asked = Tally()
        let clients = (0..<50).map { _ in
            Pending {
                let client = try daemon.client()
                try client.send("GET", origin.url("/"), ["Host: \(origin.authority)"])
                asked.add()
                return try client.readResponse().text
            }
        }
        try asked.wait(for: 50)
        try origin.wait(for: 2, of: "/")
        hold.open()
        #expect(try clients.map { try $0.result() }.allSatisfy { $0 == "body" })
        #expect(origin.requests.count == 2)
    }
}
