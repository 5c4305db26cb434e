import CommandSyntax
import CLinux
import CommandTexts
import Glibc
import Settings
import TestSupport
import Testing

@testable import Commands

/// Every command in the situations in which people meet it first: text and exit code.
struct SituationTests {
    /// A command with arguments that fit, and with some that do not.
    struct Row: Sendable, CustomTestStringConvertible {
        enum Kind: Sendable {
            /// It asks the running daemon.
            case client
            /// It reads the files of a CA.
            case authority
            /// It reads settings only.
            case settings
            /// It needs nothing.
            case text
            /// It writes a file, whose name is its first operand.
            case file
            case serve, run, env
            /// It runs a command with the cassette that is its first operand.
            case taped
            /// It reads the cassette, or the HAR file, that is its operand.
            case cassette
            /// It says what is wrong on standard output.
            case doctor
            /// It asks the server that the settings share, and there is none.
            case shared
        }

        var name: String
        var kind: Kind
        /// Operands and options; `URL` and `FILE` stand for what a test has.
        var fitting: [String] = []
        /// Operands that do not fit, and the sentence about them.
        var wrong = ["extra", "extra", "extra"]
        var fault = "too many arguments"

        var testDescription: String { name }
        var words: [String] { name.split(separator: " ").map(String.init) }
    }

    private static let missingURL = "URL is missing"

    static let rows: [Row] = [
        Row(name: "serve", kind: .serve),
        Row(name: "run", kind: .run, fitting: ["--", "echo", "x"], wrong: [], fault: "COMMAND is missing"),
        Row(name: "record", kind: .taped, wrong: ["a.har"], fault: "COMMAND is missing"),
        Row(name: "replay", kind: .taped, wrong: [], fault: "FILE is missing"),
        Row(name: "env", kind: .env),
        Row(name: "status", kind: .client),
        Row(
            name: "stats",
            kind: .client,
            wrong: ["--since", "x"],
            fault: "`--since` must be a duration with its unit such as 30s, 5m or 1h"
        ),
        Row(name: "top", kind: .client),
        Row(name: "ls", kind: .client),
        Row(name: "show", kind: .client, fitting: ["URL"], wrong: [], fault: missingURL),
        Row(
            name: "explain",
            kind: .client,
            fitting: ["URL"],
            wrong: [],
            fault: "name a URL, or a request of the past by `--request ID`"
        ),
        Row(
            name: "tail",
            kind: .client,
            fitting: ["--no-follow"],
            wrong: ["--lines", "x"],
            fault: "`--lines` needs a whole number from 0 to 1000"
        ),
        Row(name: "watch", kind: .client, fitting: ["URL"], wrong: [], fault: missingURL),
        Row(name: "get", kind: .client, fitting: ["URL"], wrong: [], fault: missingURL),
        Row(name: "cat", kind: .client, fitting: ["URL"], wrong: [], fault: missingURL),
        Row(
            name: "put",
            kind: .client,
            fitting: ["URL", "FILE"],
            wrong: ["http://h.example/"],
            fault: "FILE is missing"
        ),
        Row(
            name: "refresh",
            kind: .client,
            fitting: ["URL"],
            wrong: [],
            fault: "name URLs, or a list of them by `--from FILE`"
        ),
        Row(name: "export", kind: .client, fitting: ["--har", "-"]),
        Row(name: "import", kind: .cassette),
        Row(
            name: "purge",
            kind: .client,
            fitting: ["URL"],
            wrong: [],
            fault: "name URLs, or a tag by `--tag NAME`"
        ),
        Row(name: "wipe", kind: .client, fitting: ["URL"], wrong: [], fault: missingURL),
        Row(name: "invalidate", kind: .client, fitting: ["URL"], wrong: [], fault: missingURL),
        Row(
            name: "match",
            kind: .text,
            fitting: ["http://*/**", "http://h.example/"],
            wrong: ["http://h.example/*"],
            fault: "URL is missing"
        ),
        Row(name: "dashboard", kind: .client, fitting: ["--print"]),
        Row(name: "tunnels", kind: .client, fitting: ["--json"]),
        Row(name: "doctor", kind: .doctor),
        Row(name: "log", kind: .client, wrong: ["frob"], fault: "`frob` is not a category; the categories are "),
        Row(name: "mode", kind: .client),
        Row(name: "reload", kind: .client),
        Row(name: "ca create", kind: .authority, fitting: ["--force"]),
        Row(name: "ca show", kind: .authority),
        Row(name: "ca trust", kind: .authority, fitting: ["--dry-run"]),
        Row(name: "ca untrust", kind: .authority, fitting: ["--dry-run"]),
        Row(name: "ca export", kind: .authority),
        Row(name: "passwd", kind: .file, wrong: ["logins"], fault: "USER is missing"),
        Row(name: "config check", kind: .settings),
        Row(name: "config show", kind: .settings),
        Row(name: "config schema", kind: .text),
        Row(name: "shared check", kind: .shared),
        Row(name: "cassette show", kind: .cassette, wrong: [], fault: "FILE is missing"),
        Row(name: "cassette check", kind: .cassette),
        Row(name: "cassette prune", kind: .cassette),
        Row(name: "man", kind: .text, fitting: ["respite.1"], wrong: [], fault: "PAGE is missing"),
        Row(name: "completion", kind: .text, fitting: ["bash"], wrong: [], fault: "SHELL is missing"),
        Row(name: "version", kind: .text),
        Row(name: "help", kind: .text, wrong: ["frob"], fault: "unknown command `frob`"),
    ]

    @Test("each command is in the table")
    func complete() { #expect(Self.rows.map(\.name).sorted() == CommandSpecification.all.map(\.name).sorted()) }

    // MARK: --help

    @Test("--help and -h print usage, what the command does and an example, wherever they stand", arguments: rows)
    func help(row: Row) throws {
        let specification = try CommandSpecification.named(row.name)
        for words in [row.words + ["--help"], row.words + ["-h"], ["help"] + row.words, ["--help"] + row.words] {
            let outcome = try Command.run([DaemonProcess.executable] + words)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(words): \(outcome.errors)")
            #expect(outcome.output == specification.help, "\(words)")
        }
        for part in ["\nusage: respite \(row.name)", "\nExamples:\n  ", "respite \(row.name)"] {
            #expect(specification.help.contains(part), "\(part)")
        }
    }

    @Test(
        "--help alone lists the commands; a group alone lists its parts",
        arguments: [
            (["--help"], "  ls  "), (["-h"], "  purge  "), ([], "  config show  "), (["ca"], "  ca trust  "),
            (["config"], "  config check  "), (["config", "-h"], "  config schema  "),
            (["help", "ca"], "  ca create  "),
        ] as [([String], String)]
    )
    func lists(words: [String], part: String) throws {
        let outcome = try Command.run([DaemonProcess.executable] + words)
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.contains("usage: respite ") && outcome.output.contains(part), "\(outcome.output)")
    }

    // MARK: Wrong arguments

    @Test("an unknown option and wrong operands are exit code 2, and what is right is said", arguments: rows)
    func wrongArguments(row: Row) throws {
        let specification = try CommandSpecification.named(row.name)
        let usage = "usage: \(specification.usage); see `respite \(row.name) --help`\n"
        let example = "example: \(specification.guide.examples.first ?? "")\n"
        let option = try Command.run([DaemonProcess.executable] + row.words + ["--quux"])
        #expect(option.status == 2 && option.output.isEmpty)
        #expect(option.errors == "respite: unknown option `--quux`\n" + usage + example)
        let operands = try Command.run([DaemonProcess.executable] + row.words + row.wrong)
        #expect(operands.status == 2 && operands.output.isEmpty)
        if row.wrong == ["frob"] {
            #expect(operands.errors.hasPrefix("respite: \(row.fault)"), "\(operands.errors)")
        } else {
            #expect(operands.errors.hasPrefix("respite: \(row.fault)\n" + usage), "\(operands.errors)")
        }
    }

    // MARK: No daemon

    @Test("without a daemon, what needs one is exit code 4 and says how to start one", arguments: rows)
    func noDaemon(row: Row) throws {
        let home = TemporaryDirectory()
        let address = "127.0.0.1:\(try unusedPort())"
        let options: [String]
        switch row.kind {
        // It is the daemon; it ends in the tests of others. What needs no daemon, either.
        case .serve, .file, .taped, .cassette: return
        case .client: options = ["--admin", address, "--token-file", try home.write("token\n", to: "token")]
        case .doctor: options = ["--admin", address] + DoctorTests.knownName
        case .run: options = ["--own", "--store", "none"]
        case .env: options = ["--admin", address]
        case .authority: options = try Self.authority(home)
        case .settings, .text, .shared: options = []
        }
        let outcome = try Self.run(row, options, home, url: "http://127.0.0.1:1/")
        switch row.kind {
        case .client:
            #expect(outcome.status == 4 && outcome.output.isEmpty)
            #expect(
                outcome.errors == "respite: no daemon answers at \(address): connection refused; "
                    + "start one with `respite serve`, or `systemctl start respite`\n"
            )
        case .doctor:
            #expect(outcome.status == 1 && outcome.errors.isEmpty)
            #expect(
                outcome.output.contains("fault\tadmin\tno daemon answers at \(address)\tstart one with `respite serve`")
            )
        case .shared:
            #expect(outcome.status == 1 && outcome.output.isEmpty)
            #expect(outcome.errors.hasPrefix("respite: the settings share no server: name one by `shared.url`"))
        case .run: #expect(outcome.status == 0 && outcome.errors == "respite: 0 requests, 0 hits, 0 B saved\n")
        case .env, .authority, .settings, .text, .serve, .file, .taped, .cassette:
            #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome.errors)")
        }
    }

    // MARK: No permission

    /// Words that run a program as somebody who owns nothing; nil if this user cannot do that.
    private static let asNobody: [String]? = {
        guard geteuid() == 0 else { return [] }
        let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        let outcome = try? Command.run(words + ["test", "-x", DaemonProcess.executable])
        return outcome?.status == 0 ? words : nil
    }()

    @Test(
        "a file that this user may not read is named, with the system's reason",
        .enabled(if: asNobody != nil, "needs setpriv, and programs that everybody may run"),
        arguments: rows
    )
    func noPermission(row: Row) throws {
        let home = TemporaryDirectory()
        chmod(home.path, 0o755)
        let file = try home.write("loops = 1\n", to: "secret")
        let authority = try Self.authority(home)
        chmod(file, 0)
        chmod(authority[1], 0)
        defer { chmod(authority[1], 0o700) }
        let daemon = row.kind == .client ? try DaemonProcess() : nil
        let options: [String] =
            switch row.kind {
            case .client: ["--admin", "127.0.0.1:\(daemon?.adminPort ?? 0)", "--token-file", file]
            case .serve, .run, .env, .settings, .doctor, .shared: ["--config", file]
            case .authority: authority
            case .text: []
            case .file: [file, "alice"]
            case .taped: [file, "--", "echo", "x"]
            case .cassette: [file]
            }
        let outcome = try Self.run(row, options, home, url: "http://127.0.0.1:1/", as: Self.asNobody ?? [])
        switch row.kind {
        case .client:
            #expect(outcome.status == 1 && outcome.output.isEmpty)
            #expect(outcome.errors == "respite: cannot read the token in \(file): Permission denied\n")
        case .serve, .run, .env, .settings, .shared:
            #expect(outcome.status == 2 && outcome.output.isEmpty)
            #expect(outcome.errors.contains(file) && outcome.errors.contains("Permission denied"), "\(outcome.errors)")
        case .doctor:
            #expect(outcome.status == 1 && outcome.errors.isEmpty)
            #expect(
                outcome.output.contains("fault\tsettings\t") && outcome.output.contains("Permission denied"),
                "\(outcome)"
            )
        case .taped, .cassette:
            #expect(outcome.status == (row.kind == .taped ? 125 : 1) && outcome.output.isEmpty)
            #expect(
                outcome.errors.hasPrefix("respite: \(file): cannot be read: Permission denied"),
                "\(outcome.errors)"
            )
        case .file:
            #expect(outcome.status == 1 && outcome.output.isEmpty)
            #expect(outcome.errors == "respite: \(file) cannot be read: Permission denied\n", "\(outcome.errors)")
        case .authority:
            #expect(outcome.status == 1 && outcome.output.isEmpty)
            #expect(
                outcome.errors.contains(authority[1]) && outcome.errors.contains("Permission denied"),
                "\(outcome.errors)"
            )
        case .text: #expect(outcome.status == 0 && outcome.errors.isEmpty)
        }
    }

    // MARK: Output to a closed pipe

    @Test("output that nobody reads ends a command by SIGPIPE, in silence, also if its parent ignores that signal")
    func closedPipe() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: "content") }
        let daemon = try DaemonProcess(["--set", "admin-recent-requests=10"])
        let authority = try Self.authority(daemon.home)
        let url = origin.url("/one")
        let here = ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath]
        for row in Self.rows where ![.serve, .file, .taped, .cassette, .shared].contains(row.kind) {
            let options: [String] =
                switch row.kind {
                case .client, .env: here
                case .doctor: here + DoctorTests.knownName
                case .run: ["--own", "--quiet", "--store", "none"]
                case .authority: authority
                case .serve, .settings, .text, .file, .taped, .cassette, .shared: []
                }
            // What a command of `run` does is its own.
            for prefix in row.kind == .run ? [""] : ["", "trap '' PIPE; "] {
                _ = try daemon.get(url)
                let outcome = try Self.run(row, options, daemon.home, url: url, as: Self.closing(prefix))
                #expect(outcome.status == 128 + SIGPIPE && outcome.errors.isEmpty, "\(prefix)\(row.name): \(outcome)")
            }
        }
    }

    @Test("a daemon whose output nobody reads goes on")
    func closedPipeOfDaemon() throws {
        let home = TemporaryDirectory()
        let words = DaemonProcess.serveWords(store: home.path + "/store", loops: 1)
        let pipe = try ClosedPipe()
        let daemon = try Command(
            Self.closing("") + words,
            environment: DaemonProcess.environment(home),
            inherited: pipe.descriptor
        )
        try daemon.waitForError("addresses") { $0.contains(" admin=127.0.0.1") ? () : nil }
        daemon.send(signal: SIGTERM)
        #expect(try daemon.wait().status == 0)
    }

    @Test("output that a full disk refuses is exit code 1 and a sentence", arguments: rows.filter { $0.kind == .text })
    func fullDisk(row: Row) throws {
        let words = ["sh", "-c", "exec \"$@\" > /dev/full", "sh", DaemonProcess.executable] + row.words + row.fitting
        let outcome = try Command.run(words)
        #expect(outcome.status == 1)
        #expect(outcome.errors == "respite: cannot write to standard output: No space left on device\n")
    }

    // MARK: /proc

    /// Words that run a program where /proc is not mounted; nil if this user or the program cannot do that.
    private static let withoutProc: [String]? = {
        // A sanitizer reads /proc itself.
        guard !Sanitizer.isOn else { return nil }
        let words = [
            "unshare", "--mount", "sh", "-c", "umount -l /proc || mount -t tmpfs none /proc; exec \"$@\"", "sh",
        ]
        let outcome = try? Command.run(words + ["test", "!", "-e", "/proc/self"])
        return outcome?.status == 0 ? words : nil
    }()

    @Test(
        "commands read their arguments where /proc is not mounted",
        .enabled(if: withoutProc != nil, "needs the right to unmount /proc"),
        arguments: [["version"], ["help", "ls"], ["config", "schema"], ["man", "respite.1"]]
    )
    func argumentsWithoutProc(words: [String]) throws {
        let usual = try Command.run([DaemonProcess.executable] + words)
        let outcome = try Command.run((Self.withoutProc ?? []) + [DaemonProcess.executable] + words)
        #expect(outcome.status == 0 && outcome.output == usual.output && !usual.output.isEmpty, "\(outcome)")
    }

    @Test(
        "the daemon, its clients and `run` work where /proc is not mounted",
        .enabled(if: withoutProc != nil, "needs the right to unmount /proc")
    )
    func daemonWithoutProc() throws {
        let daemon = try DaemonProcess()
        let prefix = (Self.withoutProc ?? []) + [DaemonProcess.executable]
        let here = ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath]
        let environment = DaemonProcess.environment(daemon.home)
        let status = try Command.run(prefix + ["status"] + here, environment: environment)
        #expect(status.status == 0 && status.output.contains("version\t"), "\(status)")
        let run = try Command.run(
            prefix + ["run", "--own", "--store", "none", "--", "echo", "a b"],
            environment: environment
        )
        #expect(run.status == 0 && run.output == "a b\n", "\(run)")
    }

    // MARK: Steps

    /// Words that run a program whose standard output is the pipe at descriptor 3.
    private static func closing(_ prefix: String) -> [String] {
        ["sh", "-c", "\(prefix)exec \"$@\" >&3 3>&-", "sh"]
    }

    /// The options for a CA in a directory of its own.
    private static func authority(_ home: TemporaryDirectory) throws -> [String] {
        let options = ["--ca-directory", home.path + "/ca"]
        let words = [DaemonProcess.executable, "ca", "create", "--for", "site.example"]
        let outcome = try Command.run(words + options, environment: DaemonProcess.environment(home))
        guard outcome.status == 0 else { throw HarnessError("no CA: \(outcome)") }
        return options
    }

    private static func run(
        _ row: Row,
        _ options: [String],
        _ home: TemporaryDirectory,
        url: String,
        as prefix: [String] = []
    ) throws -> Command.Outcome {
        let file = try home.write("content", to: "file")
        chmod(file, 0o644)
        let words = row.fitting.map { ["URL": url, "FILE": file][$0] ?? $0 }
        let pipe = try ClosedPipe()
        let all = prefix + [DaemonProcess.executable] + row.words + options + words
        return try Command(all, environment: DaemonProcess.environment(home), inherited: pipe.descriptor).wait()
    }
}

/// The writing end of a pipe that nobody reads.
private final class ClosedPipe {
    let descriptor: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw HarnessError("pipe: errno \(errno)") }
        close(ends[0])
        descriptor = ends[1]
    }

    deinit { close(descriptor) }
}
