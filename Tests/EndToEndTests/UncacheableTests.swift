import Testing
import TestSupport

/// What nobody may share, with the settings as they are built in.
struct UncacheableTests {
    @Test(
        "200 clients of an uncacheable cold URL: 200 requests, 199 of them at the origin at once, then all 200 (C-23.4)"
    )
    func bursts() throws {
        let asked = Gate()
        let arrived = Tally()
        let origin = try ScriptedOrigin { exchange in
            let number = arrived.add()
            // Of a cold URL one request alone goes ahead; its head tells that nobody may share it.
            if number == 1 {
                try asked.wait("all clients to have asked")
            } else {
                try arrived.wait(for: number <= 200 ? 200 : 400, "the burst to be at the origin at once")
            }
            try exchange.reply("200 OK", ["Cache-Control: no-store"], body: "\(number)")
        }
        let daemon = try DaemonProcess()
        let crowd = try Crowd(200, of: daemon)
        func burst() throws {
            for client in crowd.clients { try client.send("GET", origin.url("/cold"), ["Host: \(origin.authority)"]) }
        }
        try burst()
        try crowd.awaitRead()
        try arrived.wait(for: 1, "one request to be at the origin")
        #expect(arrived.value == 1)
        asked.open()
        let first = try crowd.clients.map { try $0.readResponse() }
        #expect(Set(first.map(\.text)).count == 200 && origin.requests.count == 200)
        try burst()
        let second = try crowd.clients.map { try $0.readResponse() }
        #expect(Set(second.map(\.text)).count == 200 && origin.requests.count == 400)
        #expect((first + second).allSatisfy { $0.status == 200 && !$0.isHit && !$0.cacheStatus.contains("collapsed") })
    }
}
