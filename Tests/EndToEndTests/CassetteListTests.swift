import TestSupport
import Testing

/// What `respite cassette` prints of a cassette, for people and programs.
struct CassetteListTests {
    private let home = TemporaryDirectory()

    /// Writes a cassette as another tool records it.
    private func cassette() throws -> String {
        func entry(_ method: String, _ number: Int, _ status: Int, _ fields: String, _ content: String) -> String {
            """
            {"request":{"method":"\(method)","url":"http://h.example/\(number)"},"response":{"status":\(status),\
            "headers":[\(fields)],"content":{"text":"\(content)"}}}
            """
        }
        let entries = [
            entry("GET", 1, 200, #"{"name":"Content-Type","value":"text/plain"}"#, "12345"),
            entry("DELETE", 2, 404, "", String(repeating: "x", count: 2048)),
        ]
        return try home.write(
            #"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#,
            to: "api.har"
        )
    }

    private func run(_ words: String...) throws -> Command.Outcome {
        try Command.run(
            [DaemonProcess.executable, "cassette"] + words,
            environment: DaemonProcess.environment(home)
        )
    }

    @Test("people see the exchanges in columns, with numbers that end below the ends of their titles")
    func columns() throws {
        let terminal = try TestTerminal(columns: 80)
        let command = try terminal.start(
            [DaemonProcess.executable, "cassette", "show", try cassette()],
            environment: DaemonProcess.environment(home)
        )
        let shown = try terminal.output(through: "2.0 KiB  -")
        #expect(try command.wait().status == 0)
        for line in [
            "ORDER  METHOD  URL                 STATUS     SIZE  TYPE",
            "    1  GET     http://h.example/1  200         5 B  text/plain",
            "    2  DELETE  http://h.example/2  404     2.0 KiB  -",
        ] {
            #expect(shown.contains(line), "\(shown)")
        }
    }

    @Test("programs get a line or an object for each exchange, with sizes in bytes")
    func programs() throws {
        let file = try cassette()
        let plain = try run("show", file)
        #expect(plain.status == 0 && plain.errors.isEmpty)
        #expect(
            plain.output
                == "1\tGET\thttp://h.example/1\t200\t5\ttext/plain\n2\tDELETE\thttp://h.example/2\t404\t2048\t-\n"
        )
        let json = try run("show", file, "--json")
        #expect(json.status == 0 && json.errors.isEmpty)
        #expect(
            json.output
                == #"{"exchanges":[{"method":"GET","url":"http://h.example/1","status":200,"bytes":5,"#
                + #""type":"text/plain","pieces":0},{"method":"DELETE","url":"http://h.example/2","status":404,"#
                + #""bytes":2048,"type":"","pieces":0}]}"# + "\n"
        )
    }

    @Test("a check counts what it has found to be without credentials")
    func check() throws {
        let outcome = try run("check", try cassette())
        #expect(outcome.status == 0 && outcome.errors.isEmpty && outcome.output == "2 exchanges, no credentials\n")
    }
}
