import Glibc
import Testing
import TestSupport

/// By which route a URL is asked for.
enum Route: CaseIterable, Sendable {
    /// Absolute-form, as a client does that was told of a proxy.
    case forward
    /// A path that begins with the URL.
    case prefix
}

/// The built daemon, running on free ports of loopback with a store of its own.
final class DaemonProcess: Sendable {
    let command: Command
    let home: TemporaryDirectory
    let port: UInt16
    let adminPort: UInt16
    let storePath: String

    /// Starts it and waits until it serves.
    ///
    /// `home` is where its store is; give it again to start on what another one left there.
    init(
        _ arguments: [String] = [],
        home: TemporaryDirectory? = nil,
        store: String? = nil,
        loops: Int = 2,
        environment: [String] = []
    ) throws {
        let home = home ?? TemporaryDirectory()
        self.home = home
        storePath = store ?? home.path + "/store"
        command = try Command(
            Self.serveWords(store: storePath, loops: loops) + arguments,
            environment: Self.environment(home) + environment
        )
        (port, adminPort) = try Self.addresses(of: command)
    }

    deinit {
        let hasDrained = !Sanitizer.isOn || endGently()
        if command.isRunning { command.send(signal: SIGKILL) }
        // Objects of requests that were cut off at the end have not leaked.
        if let report = Sanitizer.report(in: command.standardError), hasDrained || !report.contains("LeakSanitizer") {
            Issue.record("\(report)")
        }
    }

    /// Lets the process come to its own end, where a sanitizer reports what leaked.
    ///
    /// - Returns: whether one signal was enough: it drains, and another one ends all requests.
    private func endGently() -> Bool {
        var signals = 0
        while command.isRunning, signals < 30 {
            command.send(signal: SIGTERM)
            signals += 1
            _ = try? command.wait(seconds: 2)
        }
        if command.isRunning { Issue.record("the daemon does not end") }
        return signals <= 1
    }

    /// The executable beside the test bundle.
    static let executable: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer[..<max(count, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let candidates = [own] + CommandLine.arguments.filter { $0.contains(".xctest") }
        for candidate in candidates {
            let folder = candidate.split(separator: "/", omittingEmptySubsequences: false)
                .prefix { !$0.hasSuffix(".xctest") }
            let path = (folder + ["respite"]).joined(separator: "/")
            if access(path, X_OK) == 0 { return path }
        }
        preconditionFailure("no executable `respite` beside the tests")
    }()

    static func environment(_ home: TemporaryDirectory) -> [String] {
        [
            "HOME=\(home.path)", "XDG_CONFIG_HOME=\(home.path)/config", "XDG_RUNTIME_DIR=\(home.path)",
            "XDG_CACHE_HOME=\(home.path)/cache", "NO_COLOR=1", "PAGER=cat",
            // The machine's own shortage is none of theirs.
            "MEMORY_PRESSURE_WATCH=\(home.path)/pressure",
            // A sanitizer leaves crashes to the daemon, as they are without one.
            "TSAN_OPTIONS=handle_segv=0", "ASAN_OPTIONS=handle_segv=0",
            "LSAN_OPTIONS=print_suppressions=0:suppressions=\(Sanitizer.falseLeaks)",
        ]
    }

    static func serveWords(store: String, loops: Int) -> [String] {
        [
            executable, "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", store, "--loops",
            "\(loops)",
        ]
    }

    var token: String {
        get throws {
            let text = String(decoding: try readFile(storePath + "/admin-token"), as: UTF8.self)
            return text.split(separator: "\n").first.map(String.init) ?? ""
        }
    }

    func client() throws -> WireClient { try WireClient(port: port) }

    /// One request on a connection of its own.
    func fetch(
        _ method: String,
        _ url: String,
        by route: Route = .forward,
        _ fields: [String] = [],
        content: [UInt8] = []
    ) throws -> Response {
        let client = try client()
        let length = content.isEmpty ? [] : ["Content-Length: \(content.count)"]
        let head = target(url, by: route)
        return try client.exchange(method, head.target, head.fields + length + fields, content: content)
    }

    func get(_ url: String, by route: Route = .forward, _ fields: [String] = []) throws -> Response {
        try fetch("GET", url, by: route, fields)
    }

    /// The request target and Host that ask for a URL by a route.
    func target(_ url: String, by route: Route) -> (target: String, fields: [String]) {
        switch route {
        case .forward: (url, ["Host: \(url.split(separator: "/")[1])"])
        case .prefix: ("/" + url, ["Host: 127.0.0.1:\(port)"])
        }
    }

    /// One request to the admin listener, with the token.
    func admin(_ method: String = "GET", _ path: String, json: String? = nil) throws -> Response {
        let client = try WireClient(port: adminPort)
        let content = Array((json ?? "").utf8)
        let type = json == nil ? [] : ["Content-Type: application/json", "Content-Length: \(content.count)"]
        let fields = ["Host: 127.0.0.1:\(adminPort)", "Authorization: Bearer \(try token)", "Connection: close"]
        return try client.exchange(method, path, fields + type, content: content)
    }

    /// Runs the command line tool against this daemon.
    func tool(_ words: String...) throws -> Command.Outcome {
        try Command.run(
            [Self.executable] + words + ["--admin", "127.0.0.1:\(adminPort)", "--store", storePath],
            environment: Self.environment(home)
        )
    }

    /// Asks it to stop and returns its exit code.
    @discardableResult
    func stop(signal: Int32 = SIGTERM) throws -> Int32 {
        command.send(signal: signal)
        return try command.wait().status
    }

    private static func addresses(of command: Command) throws -> (UInt16, UInt16) {
        try command.waitForError("addresses of the daemon") { text in
            guard let proxy = port(in: text, after: " listen="), let admin = port(in: text, after: " admin=")
            else { return nil }
            return (proxy, admin)
        }
    }

    /// The port of the first whole line that has this key with an address of 127.0.0.1.
    private static func port(in text: String, after key: String) -> UInt16? {
        let mark = key + "127.0.0.1:"
        guard let end = text.lastIndex(of: "\n") else { return nil }
        let lines = text[..<end].split(separator: "\n")
        guard let line = lines.first(where: { $0.contains(mark) }) else { return nil }
        return line.ranges(of: mark).first.flatMap { UInt16(line[$0.upperBound...].prefix { $0.isNumber }) }
    }
}
