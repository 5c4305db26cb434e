import Glibc
import TestSupport

/// A daemon that requires a login, with the users alice (password `open sesame`) and bob (`b:o:b`).
struct TeamDaemon {
    let origin: ScriptedOrigin
    let daemon: DaemonProcess
    let home = TemporaryDirectory()

    var loginFile: String { home.path + "/logins" }

    /// Alice's login as a field line.
    static let alice = login("alice", "open sesame")
    static let bob = login("bob", "b:o:b")

    /// A login as a field line.
    static func login(_ user: String, _ password: String) -> String {
        "Proxy-Authorization: Basic \(base64("\(user):\(password)"))"
    }

    static func base64(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var bits = text.utf8.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        bits += Array(repeating: 0, count: (6 - bits.count % 6) % 6)
        var result = stride(from: 0, to: bits.count, by: 6)
            .map { alphabet[bits[$0..<($0 + 6)].reduce(0) { $0 << 1 | Int($1) }] }
        while result.count % 4 != 0 { result.append("=") }
        return String(result)
    }

    /// - Parameter settings: more of the settings file, behind `[access]` and the login file.
    init(_ settings: (ScriptedOrigin) -> String = { _ in "" }) throws {
        origin = try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "answer \(exchange.ordinal)")
        }
        try Self.passwd(home.path + "/logins", "alice", "open sesame")
        try Self.passwd(home.path + "/logins", "bob", "b:o:b")
        let file = try home.write(Self.settings + settings(origin), to: "respite.toml")
        daemon = try DaemonProcess(["--config", file], home: home)
    }

    static let settings = "[access]\nlogin-file = \"logins\"\n"

    /// Runs `respite passwd` with a password on standard input.
    @discardableResult
    static func passwd(_ file: String, _ user: String, _ password: String) throws -> Command.Outcome {
        let script = "printf '%s\\n' \"$3\" | \"$0\" passwd \"$1\" \"$2\""
        return try Command.run(["sh", "-c", script, DaemonProcess.executable, file, user, password])
    }

    /// Puts other settings in force; returns the admin API's response.
    @discardableResult
    func reload(_ settings: String? = nil) throws -> Response {
        if let settings { _ = try home.write(settings, to: "respite.toml") }
        return try daemon.admin("POST", "/v1/reload")
    }

    /// A figure of the metrics.
    func metric(_ name: String) throws -> Int? {
        let lines = try daemon.admin("GET", "/metrics").text.split(separator: "\n")
        return lines.first { $0.hasPrefix("\(name) ") }.flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    func get(_ path: String, _ fields: String...) throws -> Response { try daemon.get(origin.url(path), fields) }
}
