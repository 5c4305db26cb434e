import TestSupport
import Testing

/// What `respite cassette`, `record` and `replay` say, and what they leave in the file.
struct CassetteTextTests {
    private let home = TemporaryDirectory()
    private var file: String { home.path("api.har") }

    private func run(_ words: [String]) throws -> Command.Outcome {
        try Command.run([DaemonProcess.executable] + words, environment: DaemonProcess.environment(home))
    }

    /// Runs a shell script whose traffic is recorded or replayed.
    private func tape(_ name: String, _ script: String, _ options: [String] = []) throws -> Command.Outcome {
        try run([name] + options + [file, "--", "sh", "-c", script])
    }

    /// Writes a cassette of another tool, with an exchange for each URL and these fields in its request.
    private func write(_ urls: [String], fields: String = "") throws {
        let entries = urls.map { url in
            """
            {"request":{"method":"GET","url":"\(url)","headers":[\(fields)]},\
            "response":{"status":200,"headers":[],"content":{"text":"x"}}}
            """
        }
        try home.write(#"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#, to: "api.har")
    }

    // MARK: cassette

    @Test(
        "prune rewrites a cassette in which something repeats, and leaves any other as it is",
        arguments: [
            (["a", "b"], "removed 0 exchanges, 2 left"), (["a", "a"], "removed 1 exchange, 1 left"),
            (["a", "b", "a", "a"], "removed 2 exchanges, 2 left"),
        ]
    )
    func prune(paths: [String], sentence: String) throws {
        try write(paths.map { "http://h.example/\($0)" })
        let former = try readFile(file)
        let pruned = try run(["cassette", "prune", file])
        #expect(pruned.status == 0 && pruned.errors.isEmpty && pruned.output == "\(sentence)\n", "\(pruned)")
        let isSame = try readFile(file) == former
        #expect(isSame == (Set(paths).count == paths.count))
        let left = try run(["cassette", "show", file]).output.split(separator: "\n").map { line in
            line.split(separator: "\t")[2]
        }
        #expect(left.map { String($0.suffix(1)) } == Set(paths).sorted())
    }

    @Test("a credential in a cassette is told with its place and what to do, and not itself")
    func credentials() throws {
        try write(["http://h.example/a"], fields: #"{"name":"Authorization","value":"Bearer planted-4711"}"#)
        let outcome = try run(["cassette", "check", file])
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(
            outcome.errors == """
                respite: \(file): GET http://h.example/a: a credential stands in Authorization of the request
                respite: record it again, or replace each value by "scrubbed"

                """
        )
    }

    // MARK: record

    @Test("where nothing is recorded the file stays as it is, and the exit code is that of the command")
    func nothing() throws {
        let first = try tape("record", "exit 3")
        #expect(first.status == 3 && first.output.isEmpty)
        #expect(first.errors == "respite: nothing was recorded, so \(file) stays as it is\n")
        #expect(throws: HarnessError.self) { try readFile(file) }
        try write(["http://h.example/a"])
        let former = try readFile(file)
        let second = try tape("record", "true", ["--quiet"])
        #expect(second.status == 0 && second.output.isEmpty && second.errors.isEmpty, "\(second)")
        #expect(try readFile(file) == former)
    }

    @Test("one exchange is a recording, and its number is told unless that is unwanted", arguments: [true, false])
    func one(isQuiet: Bool) throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "content") }
        let outcome = try tape("record", "curl -sS \(origin.url("/a")); exit 5", isQuiet ? ["--quiet"] : [])
        #expect(outcome.status == 5 && outcome.output == "content")
        #expect(outcome.errors == (isQuiet ? "" : "respite: recorded 1 exchange in \(file)\n"))
        #expect(try run(["cassette", "check", file]).output == "1 exchange, no credentials\n")
    }

    // MARK: replay

    @Test("a replay tells what was missing and what was left over; the command's own failure is its exit code")
    func conclusions() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "new") }
        try write([origin.url("/a"), origin.url("/b")])
        let ask = "curl -sS -o /dev/null \(origin.url("/a")) \(origin.url("/c"))"
        let missed = "replayed 1 response of \(file); it had none for 1 request; 1 exchange not asked for"
        let failed = try tape("replay", "\(ask); true")
        #expect(failed.status == 125)
        let lines = failed.errors.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("respite: GET \(origin.url("/c")): "), "\(failed)")
        #expect(lines.last == "respite: \(missed)")
        #expect(try tape("replay", "\(ask); exit 7", ["--quiet"]).status == 7)
        #expect(origin.connections == 0)

        let passed = try tape("replay", "curl -sS \(origin.url("/c"))", ["--on-miss", "pass"])
        #expect(passed.status == 0 && passed.output == "new")
        #expect(
            passed.errors == "respite: replayed 0 responses of \(file); it had none for 1 request; "
                + "2 exchanges not asked for\n"
        )
        #expect(origin.connections == 1)

        let unasked = try tape("replay", "exit 0", ["--strict-order"])
        #expect(unasked.status == 125)
        #expect(
            unasked.errors == """
                respite: replayed 0 responses of \(file); 2 exchanges not asked for
                respite: not asked for, first: GET \(origin.url("/a"))

                """
        )
        #expect(try tape("replay", "exit 0").status == 0)
    }
}
