import Testing
import TestSupport

/// What belongs to one credential is for that credential only.
struct PartitionTests {
    private static let credentials: [(String, String)] = [
        ("Authorization: Bearer one", "Authorization: Bearer two"), ("Cookie: id=one", "Cookie: id=two"),
        ("X-Api-Key: one", "X-Api-Key: two"),
    ]

    @Test("a private response is reused for an equal credential only (C-20.2, H-115)", arguments: credentials)
    func privateResponses(one: String, two: String) throws {
        let origin = try ScriptedOrigin { exchange in
            let names = ["Authorization", "Cookie", "X-Api-Key"]
            let who = names.compactMap { exchange.request[$0] }.first ?? "nobody"
            try exchange.reply("200 OK", ["Cache-Control: private, max-age=60"], body: who)
        }
        let daemon = try DaemonProcess()
        let own = { (field: String) in String(field.split(separator: " ", maxSplits: 1)[1]) }
        for _ in 0..<2 {
            #expect(try daemon.get(origin.url("/"), [one]).text == own(one))
            #expect(try daemon.get(origin.url("/"), [two]).text == own(two))
        }
        #expect(origin.requests.count == 2)
        #expect(try daemon.get(origin.url("/")).text == "nobody")
        #expect(try daemon.get(origin.url("/")).text == "nobody")
        #expect(origin.requests.count == 4)
        #expect(try daemon.get(origin.url("/"), [one + " "]).isHit)
        #expect(try !daemon.get(origin.url("/"), [one.uppercased()]).isHit)
    }

    @Test("Authorization keeps a response from others unless it says public (C-17.1)")
    func authorization() throws {
        let origin = try ScriptedOrigin { exchange in
            let control = exchange.target == "/public" ? "public, max-age=60" : "max-age=60"
            let fields = ["Cache-Control: \(control)"]
            try exchange.reply("200 OK", fields, body: exchange.request["Authorization"] ?? "nobody")
        }
        let daemon = try DaemonProcess()
        #expect(try daemon.get(origin.url("/"), ["Authorization: a"]).text == "a")
        #expect(try daemon.get(origin.url("/"), ["Authorization: a"]).isHit)
        #expect(try daemon.get(origin.url("/"), ["Authorization: b"]).text == "b")
        #expect(try daemon.get(origin.url("/")).text == "nobody")

        #expect(try daemon.get(origin.url("/public"), ["Authorization: a"]).text == "a")
        #expect(try daemon.get(origin.url("/public")).text == "a")
    }

    @Test("credentials stand in no file of the store and in no log line (H-158)")
    func secretsNowhere() throws {
        let origin = try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", ["Cache-Control: private, max-age=60", "Vary: Cookie"], body: "x")
        }
        let daemon = try DaemonProcess(["--set", "log.level=debug", "--set", "log.access=true"])
        _ = try daemon.get(origin.url("/"), ["Authorization: Bearer planted-secret", "Cookie: id=planted-secret"])
        #expect(try daemon.stop() == 0)
        #expect(!daemon.command.standardError.contains("planted-secret"))
        let found = try Command.run(["/bin/grep", "-r", "-l", "-a", "planted-secret", daemon.storePath])
        #expect(found.output == "")
    }
}
