import Testing
import TestSupport

/// `respite export` and `import`, from one daemon to another.
struct ArchiveTests {
    @Test("what one daemon exports another one serves offline, with its age; what has a credential stays behind")
    func move() throws {
        let origin = try ScriptedOrigin { exchange in
            let control = exchange.target == "/mine" ? "private, max-age=600" : "max-age=600"
            let fields = ["Cache-Control: \(control)", "Age: 60"]
            try exchange.reply("200 OK", fields, body: "answer of \(exchange.target)")
        }
        let home = TemporaryDirectory()
        let file = home.path + "/site.har"
        let daemon = try DaemonProcess()
        for path in ["/a", "/b"] { #expect(try daemon.get(origin.url(path)).status == 200) }
        let credential = ["Authorization: Bearer planted-secret"]
        #expect(try daemon.fetch("GET", origin.url("/mine"), credential).status == 200)
        let exported = try daemon.tool("export", "--har", file)
        #expect(exported.status == 0 && exported.errors.contains("exported 2 responses"), "\(exported.errors)")
        #expect(exported.errors.contains("left out 1: private"))
        let text = try daemon.tool("export", "--har", "-", "--private").output
        #expect(text.contains("answer of /mine") && !text.contains("planted-secret"))

        let other = try DaemonProcess(["--mode", "offline"])
        let imported = try other.tool("import", file)
        #expect(imported.status == 0 && imported.output == "imported 2 of 2 responses\n", "\(imported.errors)")
        let hit = try other.get(origin.url("/b"))
        #expect(hit.isHit && hit.content == Array("answer of /b".utf8))
        #expect((hit["Age"].flatMap { Int($0) } ?? 0) >= 60)
        #expect(try other.fetch("GET", origin.url("/mine"), credential).status == 504)
        #expect(origin.requests.count == 3)
    }

    @Test("without --har nothing is written; a file that is none is refused with its place, and nothing is stored")
    func faults() throws {
        let home = TemporaryDirectory()
        let daemon = try DaemonProcess()
        let noFile = try daemon.tool("export")
        #expect(noFile.status == 2 && noFile.errors.contains("--har FILE"))
        let cut = try home.write("{\"log\":{\"version\":\"1.2\",\"entries\":[{", to: "cut.har")
        let refused = try daemon.tool("import", cut)
        #expect(refused.status == 1 && refused.errors.contains("\(cut): line 1"), "\(refused.errors)")
        let missing = try daemon.tool("import", home.path + "/none.har")
        #expect(missing.status == 1 && missing.errors.contains("cannot be read"))
        let empty = try daemon.tool("export", "--har", home.path + "/empty.har")
        #expect(empty.status == 0 && empty.errors.contains("exported 0 responses"))
        #expect(try daemon.tool("import", home.path + "/empty.har").output == "imported 0 of 0 responses\n")
    }
}
