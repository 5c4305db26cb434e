import CommandSyntax
import TestSupport
import Testing

/// What commands say in full: of values that do not fit, and of what a daemon answers.
struct CommandSentenceTests {
    private let home = TemporaryDirectory()

    private func run(_ words: [String]) throws -> Command.Outcome {
        try Command.run([DaemonProcess.executable] + words, environment: DaemonProcess.environment(home))
    }

    private func run(_ words: String) throws -> Command.Outcome {
        try run(words.split(separator: " ").map(String.init))
    }

    // MARK: Values that do not fit

    private static let days = "`--days` must be a number from 1 to 7300"
    private static let name = "`--name` must have 1 to 64 characters, and no control characters"
    private static let every = "`--every` must be a duration from 1s to 1d, with its unit"

    @Test(
        "a value that does not fit ends with exit code 2, and the message says what would fit",
        arguments: [
            ("mode frob", "`frob` is not a mode; the modes are online, auto, offline, replay"),
            (
                "ls --sort frob",
                "`--sort` has no order `frob`; the orders are url, state, status, size, age, ttl, hits"
            ),
            ("show h", "`h` is not an absolute http or https URL"),
            (
                "put http://h.example/ f --content-only --type a/b",
                "`--content-only` keeps what `--type` would change; use one of them"
            ),
            (
                "put http://h.example/ f --content-only --status 200",
                "`--content-only` keeps what `--status` would change; use one of them"
            ),
            (
                "put http://h.example/ f --ttl 5",
                "`--ttl` must be a duration with its unit such as 30s, 5m or 1h"
            ),
            (
                "explain --request 1A",
                "`1A` is no identifier of a request; `respite tail --long` shows them"
            ),
            (
                "explain --request 1a http://h.example/",
                "`--request` names a request of the past; leave URL, -H and -X out"
            ),
            ("watch http://h.example/ --every 999ms", every), ("watch http://h.example/ --every 86401s", every),
            ("completion tcsh", "there is no completion for `tcsh`; the shells are bash, zsh, fish"),
            (
                "man respite.9",
                "there is no manual page `respite.9`; the pages are respite.1, respite.toml.5"
            ),
            ("ca create --days 0", days), ("ca create --days 7301", days), ("ca create --name=", name),
            (
                "ca create --for **",
                "`--for` must be a host such as example.com (with all hosts below it), an address, or a network such "
                    + "as 10.0.0.0/8, not `**`"
            ),
            ("ca export --format p12", "`--format` must be pem or der, not `p12`"),
            ("ca export --format der --bundle", "a bundle cannot be DER; leave out `--format der`"),
            (
                "passwd f a:b",
                "USER must be a name of 1 to 128 bytes of UTF-8, without spaces, control characters and colons, and "
                    + "without a # in front"
            ),
        ]
    )
    func wrongValue(words: String, sentence: String) throws {
        let outcome = try run(words)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors == "respite: \(sentence)\n")
    }

    @Test(
        "a value that does not fit may be followed by the usage of its command",
        arguments: [
            ("tail", "--lines 1001", "`--lines` needs a whole number from 0 to 1000"),
            ("tail", "--lines -1", "`--lines` needs a whole number from 0 to 1000"),
            ("stats", "--since 999ms", "`--since` must be a duration with its unit such as 30s, 5m or 1h"),
            ("purge", "--tag t http://h.example/", "purge by URL or by `--tag`, not both"),
            ("purge", "", "name URLs, or a tag by `--tag NAME`"),
            ("explain", "", "name a URL, or a request of the past by `--request ID`"),
        ]
    )
    func wrongUsage(name: String, more: String, sentence: String) throws {
        let outcome = try run("\(name) \(more)")
        let usage = try CommandSpecification.named(name).usage
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors == "respite: \(sentence)\nusage: \(usage); see `respite \(name) --help`\n")
    }

    @Test(
        "the first twenty wrong lines of a list are shown, then their number",
        arguments: [(1, "one line is wrong"), (2, "2 lines are wrong"), (21, "21 lines are wrong")]
    )
    func wrongLines(count: Int, sentence: String) throws {
        let list = try home.write(String(repeating: "nonsense\n", count: count), to: "list")
        let outcome = try run(["refresh", "--from", list])
        let lines = outcome.errors.split(separator: "\n")
        #expect(outcome.status == 2 && outcome.output.isEmpty && lines.count == min(count, 20) + 1, "\(outcome)")
        for (number, line) in zip(1..., lines.dropLast()) { #expect(line.hasPrefix("\(list):\(number): "), "\(line)") }
        #expect(lines.last == "respite: nothing was loaded: \(sentence)")
    }

    // MARK: What a daemon answers

    /// What became of a command that asked a stand-in for the daemon.
    private struct Exchange {
        var outcome: Command.Outcome
        var requestCount: Int
        var port: UInt16
    }

    private func ask(
        _ words: [String],
        _ answer: @escaping @Sendable (AnsweringOrigin.Request) -> (status: Int, json: String)
    ) throws -> Exchange {
        let daemon = AnsweringOrigin { request in
            let (status, json) = answer(request)
            return .init(status, [("Content-Type", "application/json")], json)
        }
        let options = ["--admin", "127.0.0.1:\(daemon.port)", "--token-file", home.path("token")]
        let outcome = try run(words + options)
        return Exchange(outcome: outcome, requestCount: daemon.requests.count, port: daemon.port)
    }

    @Test(
        "what a daemon refuses is reported in its words, with the exit code of its status",
        arguments: [
            (403, #"{"detail":"no"}"#, 1, "the daemon refuses: no"), (500, "{}", 1, "the daemon refuses: status 500"),
            (404, #"{"detail":"gone"}"#, 3, "gone"), (422, #"{"detail":"wrong"}"#, 2, "wrong"),
            (422, #"{"detail":"wrong","description":"a\nb"}"#, 2, "a\nb"),
        ] as [(Int, String, Int32, String)]
    )
    func refusals(status: Int, json: String, code: Int32, sentence: String) throws {
        let outcome = try ask(["status"]) { _ in (status, json) }.outcome
        #expect(outcome.status == code && outcome.output.isEmpty && outcome.errors == "respite: \(sentence)\n")
    }

    @Test("a token that is missing is told otherwise than one that is not accepted; what is no JSON is told, too")
    func tokens() throws {
        let missing = try ask(["status"]) { _ in (401, "{}") }.outcome
        #expect(missing.status == 1)
        #expect(
            missing.errors == "respite: cannot read the token in \(home.path("token")): No such file or directory\n"
        )
        try home.write("0123456789abcdef0123456789abcdef\n", to: "token")
        let wrong = try ask(["status"]) { _ in (401, "{}") }
        #expect(wrong.outcome.status == 1)
        #expect(
            wrong.outcome.errors
                == "respite: the daemon at 127.0.0.1:\(wrong.port) does not accept the token in \(home.path("token"))\n"
        )
        let text = try ask(["status"]) { _ in (200, "text") }.outcome
        #expect(text.status == 1 && text.output.isEmpty)
        #expect(text.errors.hasPrefix("respite: the daemon's response is not JSON: "), "\(text)")
    }

    /// Writes a HAR file with an entry for each number.
    private func archive(_ numbers: ClosedRange<Int>) throws -> String {
        let entries = numbers.map { #"{"request":{"method":"GET","url":"http://h.example/\#($0)"}}"# }
        return try home.write(
            #"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#,
            to: "\(numbers.count).har"
        )
    }

    @Test("an import goes on behind an entry that is not stored, and tells why; it fails only if none is stored")
    func entries() throws {
        let answer: @Sendable (AnsweringOrigin.Request) -> (status: Int, json: String) = { request in
            let text = String(decoding: request.content, as: UTF8.self)
            if text.contains("h.example/2") { return (200, #"{"stored":true}"#) }
            if text.contains("h.example/3") { return (413, #"{"detail":"too large"}"#) }
            if text.contains("h.example/4") { return (200, "{}") }
            return (200, #"{"stored":false,"detail":"it has a credential","reason":"private"}"#)
        }
        let some = try ask(["import", try archive(1...4)], answer)
        #expect(some.outcome.status == 0 && some.outcome.output == "imported 1 of 4 responses\n", "\(some)")
        #expect(some.requestCount == 4)
        #expect(
            some.outcome.errors == """
                respite: not imported: GET http://h.example/1: it has a credential (private)
                respite: not imported: GET http://h.example/3: the daemon refuses: too large
                respite: not imported: GET http://h.example/4: ? (?)

                """
        )
        let none = try ask(["import", try archive(1...1)], answer).outcome
        #expect(none.status == 1 && none.output == "imported 0 of 1 response\n", "\(none)")
    }

    @Test(
        "an import ends at once where every entry would fail alike",
        arguments: [(401, 1), (404, 3)] as [(Int, Int32)]
    )
    func endedImport(status: Int, code: Int32) throws {
        let ended = try ask(["import", try archive(1...2)]) { _ in (status, #"{"detail":"no"}"#) }
        #expect(ended.outcome.status == code && ended.outcome.output.isEmpty && ended.requestCount == 1, "\(ended)")
        #expect(!ended.outcome.errors.contains("not imported"))
    }

    @Test("what was changed is counted for each target, and what would be purged is listed, for people and programs")
    func changes() throws {
        let url = "http://h.example/"
        func said(_ words: [String], _ json: String) throws -> String {
            try ask(words) { _ in (200, json) }.outcome.output
        }
        #expect(try said(["wipe", url], #"{"wiped":2}"#) == "2\t\(url)\n")
        #expect(
            try said(["invalidate", url, "--json"], #"{"invalidated":2}"#)
                == #"[{"target":"\#(url)","invalidated":2}]"# + "\n"
        )
        #expect(try said(["purge", "--tag", "t", "--json"], #"{"purged":2}"#) == #"[{"tag":"t","purged":2}]"# + "\n")
        let stored = #"{"uri":"\#(url)","variants":[{"size":1}]}"#
        #expect(
            try said(["purge", "--dry-run", "--json", url], stored)
                == #"[{"target":"\#(url)","wouldPurge":["\#(url)"]}]"# + "\n"
        )
        #expect(
            try said(["purge", "--dry-run", "--json", "--tag", "t"], #"{"first":["\#(url)"],"resources":3}"#)
                == #"[{"tag":"t","resources":3,"wouldPurge":["\#(url)"]}]"# + "\n"
        )
        let nothing = try ask(["purge", url]) { _ in (200, "{}") }.outcome
        #expect(nothing.status == 3 && nothing.output == "0\t\(url)\n")
        #expect(nothing.errors == "respite: nothing is stored for \(url)\n")
    }

    @Test("content of one's own is reported with its size, and whether it survives a restart")
    func content() throws {
        let words = ["put", "http://h.example/", try home.write("12345", to: "content")]
        let durable = try ask(words) { _ in (200, #"{"size":5,"durable":true}"#) }.outcome
        #expect(durable.output == "http://h.example/ is now 5 B of your own, and survives a restart\n", "\(durable)")
        let usual = try ask(words) { _ in (200, #"{"size":2048,"durable":false}"#) }.outcome
        #expect(usual.output == "http://h.example/ is now 2.0 KiB of your own\n", "\(usual)")
        let missing = try ask(["put", "http://h.example/", home.path("none")]) { _ in (200, "{}") }
        #expect(missing.outcome.status == 1 && missing.requestCount == 0)
        #expect(missing.outcome.errors == "respite: cannot read \(home.path("none")): No such file or directory\n")
    }
}
