import Glibc
import TestSupport
import Testing

/// What commands that follow a daemon say of what it streams, and of what is missing; `respite refresh`, too.
struct FollowingCommandTests {
    private let home = TemporaryDirectory()

    /// A stand-in for the daemon that streams these events and knows of nothing that is stored.
    private static func daemon(_ events: String) -> AnsweringOrigin {
        AnsweringOrigin { request in
            if request.target.hasPrefix("/v1/resources") {
                return .init(404, [("Content-Type", "application/json")], #"{"detail":"nothing is stored"}"#)
            }
            return .init(200, [("Content-Type", "text/event-stream")], events)
        }
    }

    private func start(_ words: [String], _ daemon: AnsweringOrigin) throws -> Command {
        let options = ["--admin", "127.0.0.1:\(daemon.port)", "--token-file", home.path("token")]
        return try Command(
            [DaemonProcess.executable] + words + options,
            environment: DaemonProcess.environment(home)
        )
    }

    private static func requests(_ daemon: AnsweringOrigin) -> [String] {
        daemon.requests.map { "\($0.method) \($0.target)" }
    }

    // MARK: tail

    @Test("between requests of which some are missing, tail says so; a daemon that stops is told, too")
    func gaps() throws {
        func event(_ number: Int) -> String { "event: request\ndata: {\"url\":\"http://h.example/\(number)\"}\n\n" }
        let daemon = Self.daemon(event(1) + "event: gap\ndata: {}\n\n" + event(2))
        let outcome = try start(["tail", "--json"], daemon).wait()
        #expect(outcome.status == 4)
        #expect(outcome.output == "{\"url\":\"http://h.example/1\"}\n{\"url\":\"http://h.example/2\"}\n")
        #expect(
            outcome.errors == """
                respite: requests are missing here: more were answered than the daemon keeps
                respite: the daemon is stopping, and no more requests come

                """
        )
        #expect(Self.requests(daemon) == ["GET /v1/requests/stream?last=20"])
    }

    @Test("a daemon that ends tail's stream and goes on says why")
    func ended() throws {
        let daemon = Self.daemon("event: end\ndata: {\"detail\":\"no requests are kept any more\"}\n\n")
        let outcome = try start(["tail", "--lines", "1000", "a.example/b c"], daemon).wait()
        #expect(outcome.status == 3 && outcome.output.isEmpty)
        #expect(outcome.errors == "respite: no requests are kept any more\n")
        #expect(Self.requests(daemon) == ["GET /v1/requests/stream?last=1000&filter=a.example/b%20c"])
    }

    @Test("without requests, tail says whether there were none or none fits")
    func none() throws {
        for (words, target, sentence) in [
            (["--lines", "0"], "/v1/requests?limit=1", "no request has been answered yet"),
            (["x"], "/v1/requests?limit=20&filter=x", "no request that is kept fits the filter"),
        ] {
            let daemon = AnsweringOrigin { _ in .init(200, [("Content-Type", "application/json")], "{}") }
            let outcome = try start(["tail", "--no-follow"] + words, daemon).wait()
            #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors == "respite: \(sentence)\n")
            #expect(Self.requests(daemon) == ["GET \(target)"])
        }
    }

    // MARK: watch

    @Test(
        "watch asks for the content at its start, unless that is being loaded for the first time",
        arguments: [
            ("{}", true), (#"{"isLoading":true}"#, false), (#"{"status":200,"isLoading":true}"#, true),
            (#"{"status":200}"#, true),
        ]
    )
    func snapshots(data: String, asks: Bool) throws {
        let daemon = Self.daemon("event: snapshot\ndata: \(data)\n\n")
        let command = try start(["watch", "http://h.example/"], daemon)
        let errors = try command.waitForError("the end of the stream") { $0.contains("second\n") ? $0 : nil }
        #expect(errors.hasPrefix("respite: the daemon ended the stream; trying again every second\n"))
        let asked = Self.requests(daemon).contains { $0.hasPrefix("GET /v1/resources?uri=http://h.example/") }
        #expect(asked == asks, "\(daemon.requests)")
        command.send(signal: SIGINT)
        _ = try command.wait()
    }

    // MARK: top

    @Test("where no requests are kept, top goes on and says so in place of the daemon's memory")
    func noRequests() throws {
        let daemon = try DaemonProcess(["--set", "admin-recent-requests=0"])
        let terminal = try TestTerminal(columns: 80)
        let command = try terminal.start(
            [
                DaemonProcess.executable, "top", "--admin", "127.0.0.1:\(daemon.adminPort)", "--store",
                daemon.storePath,
            ],
            environment: DaemonProcess.environment(daemon.home)
        )
        let shown = try terminal.output(through: "no requests are kept: `admin-recent-requests` is 0")
        #expect(shown.contains(" requests/s   "))
        terminal.type("q")
        #expect(try command.wait().status == 0)
    }

    // MARK: refresh

    @Test("of the URLs that fit a pattern, those that could not be loaded are told and counted")
    func refreshes() throws {
        let daemon = AnsweringOrigin { request in
            let json: [(String, String)] = [("Content-Type", "application/json")]
            if request.method == "GET" {
                let stored = (1...3).map { #"{"uri":"http://h.example/\#($0)","status":200}"# }
                return .init(200, json, #"{"resources":[\#(stored.joined(separator: ","))]}"#)
            }
            let text = String(decoding: request.content, as: UTF8.self)
            if text.contains("h.example/2") { return .init(502, json, #"{"detail":"no answer"}"#) }
            return .init(200, json, text.contains("h.example/3") ? #"{"result":"notModified"}"# : "{}")
        }
        let outcome = try start(["refresh", "http://h.example/*"], daemon).wait()
        #expect(outcome.status == 1)
        #expect(outcome.output == "loaded  http://h.example/1\nnot modified  http://h.example/3\n")
        #expect(
            outcome.errors
                == "respite: the daemon refuses: no answer\nrespite: 1 of 3 URLs could not be loaded\n"
        )
    }
}
