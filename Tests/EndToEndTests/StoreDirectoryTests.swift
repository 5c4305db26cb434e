import Glibc
import Settings
import Testing
import TestSupport

/// Which directories the daemon keeps its store in, and what becomes of it when they go.
struct StoreDirectoryTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "answer")
        }
    }

    private static func mode(_ path: String) -> UInt32 {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    /// Paths of everything below `path`, itself included.
    private static func everything(_ path: String) throws -> [String] {
        try Command.run(["/usr/bin/find", path]).output.split(separator: "\n").map(String.init)
    }

    @Test("a directory with a user's files is not used: log, status and config check say so, and clients are served")
    func foreign() throws {
        // Given a directory in which a store would delete what is there
        let home = TemporaryDirectory()
        let directory = home.path + "/documents"
        mkdir(directory, 0o755)
        mkdir(directory + "/spill", 0o755)
        try writeFile(directory + "/spill/notes.txt", Array("precious".utf8))
        let check = try Command.run(
            [DaemonProcess.executable, "config", "check", "--set", "storage.directory=\(directory)"],
            environment: DaemonProcess.environment(home)
        )
        #expect(check.status == 0 && check.errors.contains("holds what is not Respite's (spill)"), "\(check.errors)")
        // When a daemon is told to keep its store there
        let daemon = try DaemonProcess(home: home, store: directory)
        // Then it serves without one, and says why
        let origin = try Self.origin()
        #expect(try daemon.get(origin.url("/")).text == "answer")
        #expect(try daemon.get(origin.url("/")).text == "answer")
        #expect(origin.requests.count == 1)
        #expect(daemon.command.standardError.contains("store not used"))
        let store = try daemon.admin("GET", "/v1/status").json["store"]
        #expect(store?["state"]?.text == "disabled" && store?["directory"]?.text == directory)
        #expect(store?["reason"]?.text?.contains("`storage.directory`") == true)
        #expect(try daemon.tool("status").output.contains("disabled: the storage directory \(directory) holds"))
        try daemon.stop()
        #expect(try readFile(directory + "/spill/notes.txt") == Array("precious".utf8))
        #expect(access(directory + "/cache.db", F_OK) != 0)
    }

    @Test("every file of the daemon's is for its owner alone, whatever the umask", arguments: ["000", "022", "277"])
    func modes(umask: String) throws {
        let home = TemporaryDirectory()
        let words = DaemonProcess.serveWords(store: home.path + "/store", loops: 1).joined(separator: " ")
        let daemon = try Command(
            ["/bin/sh", "-c", "umask \(umask); exec \(words)"],
            environment: DaemonProcess.environment(home)
        )
        defer { daemon.send(signal: SIGKILL) }
        _ = try daemon.waitForError("the socket") { $0.contains("admin=unix:") ? true : nil }
        let paths = try Self.everything(home.path + "/store")
        #expect(paths.count >= 8)
        for path in paths { #expect(Self.mode(path) & 0o077 == 0, "\(path): \(String(Self.mode(path), radix: 8))") }
        #expect(Self.mode(home.path + "/store/cache.db") == 0o600)
        #expect(Self.mode(home.path + "/store/admin-token") == 0o600)
    }

    @Test("a store that systemd hands over behind a link is used, and what is in it is found after a restart")
    func handedOver() throws {
        let home = TemporaryDirectory()
        mkdir(home.path + "/private", 0o700)
        mkdir(home.path + "/private/respite", 0o755)
        let link = home.path + "/respite"
        symlink("private/respite", link)
        let origin = try Self.origin()
        for _ in 0..<2 {
            let daemon = try DaemonProcess(home: home, store: link)
            #expect(try daemon.get(origin.url("/")).text == "answer")
            #expect(try daemon.admin("GET", "/v1/status").json["store"]?["state"]?.text == "ok")
            #expect(try daemon.stop() == 0)
        }
        #expect(origin.requests.count == 1)
        #expect(Self.mode(home.path + "/private/respite") == 0o700)
    }

    @Test(
        "a store's directory that is deleted while the daemon runs is there again, with socket and token; the log tells"
    )
    func deleted() throws {
        // Given a daemon that has stored something
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        #expect(try daemon.get(origin.url("/before")).text == "answer")
        let token = try daemon.token
        // When its directory is deleted
        try Command.run(["/bin/rm", "-rf", daemon.storePath])
        for sentence in ["the store's directory was removed or replaced", "files of the admin API were removed"] {
            _ = try daemon.command.waitForError(sentence) { $0.contains(sentence) ? true : nil }
        }
        // Then all of it is there again, the token unchanged, and what comes is stored
        #expect(try daemon.token == token && Self.mode(daemon.storePath) == 0o700)
        let status = try Command.run(
            [DaemonProcess.executable, "status", "--store", daemon.storePath],
            environment: DaemonProcess.environment(daemon.home)
        )
        #expect(status.status == 0 && status.output.contains("unix:"), "\(status.errors)")
        #expect(try daemon.admin("GET", "/v1/status").json["store"]?["state"]?.text == "ok")
        #expect(try daemon.get(origin.url("/after")).text == "answer")
        #expect(try daemon.stop() == 0)
        let again = try DaemonProcess(home: daemon.home)
        #expect(try again.get(origin.url("/after")).text == "answer")
        #expect(origin.requests.count == 2)
    }
}
