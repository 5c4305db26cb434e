import Glibc
import JSON
import Settings
import Testing
import TestSupport

/// `respite env`: what points programs here.
struct EnvironmentTests {
    private static func run(
        _ home: TemporaryDirectory,
        _ words: [String],
        path: String? = nil
    ) throws -> Command.Outcome {
        let all = [DaemonProcess.executable, "env"] + words
        let prefix = path.map { ["env", "PATH=\($0):/usr/bin:/bin"] } ?? []
        return try Command.run(prefix + all, environment: DaemonProcess.environment(home))
    }

    @Test("a shell takes it, curl then asks the running daemon, and --unset takes it back")
    func shell() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: "hello") }
        let daemon = try DaemonProcess()
        let command =
            "\(DaemonProcess.executable) env --admin 127.0.0.1:\(daemon.adminPort) --store \(daemon.storePath)"
        let script = """
            eval "$(\(command) --no-proxy '')" && curl -sSi \(origin.url("/x")) && curl -sSi \(origin.url("/x"))
            eval "$(\(command) --unset)"; echo; env | grep -i proxy || echo gone
            """
        let outcome = try Command.run(["sh", "-c", script], environment: DaemonProcess.environment(daemon.home))
        #expect(outcome.output.contains("; hit") && outcome.output.hasSuffix("hello\ngone\n"), "\(outcome)")
        #expect(origin.requests.count == 1)
    }

    @Test("without a daemon the settings tell the address")
    func settings() throws {
        let home = TemporaryDirectory()
        let admin = ["--admin", "127.0.0.1:\(try unusedPort())"]
        let usual = try Self.run(home, admin)
        #expect(usual.output.contains("export https_proxy=http://127.0.0.1:3128\n"), "\(usual)")
        let other = try Self.run(
            home,
            admin + ["--listen", "0.0.0.0:99", "--set", "access.allow-open-proxy=true", "--json"]
        )
        let json = try JSONReader.parse(Array(other.output.utf8))
        #expect(json["variables"]?["http_proxy"]?.text == "http://127.0.0.1:99", "\(other)")
        #expect(json["variables"]?["NO_PROXY"]?.text == "localhost,127.0.0.1,::1")
        let unnameable = try Self.run(home, admin + ["--listen", "unix:/tmp/s"])
        #expect(unnameable.status == 2 && unnameable.errors.contains("a variable can name none of"), "\(unnameable)")
    }

    @Test("package managers are asked for their index, which goes behind the prefix")
    func tools() throws {
        let home = TemporaryDirectory()
        let bin = home.path + "/bin"
        let answers = [
            ("pip", "[ $2 = --help ] && echo '--index-url <url> (default https://pip.example/simple)'"),
            ("npm", "echo 'registry = \"https://npm.example/\"'"),
            ("uv", "exit 1"),
            ("cargo", "echo 'failed to download from `https://cargo.example/index/config.json`' >&2; exit 101"),
            ("go", "echo 'https://go.example,http://127.0.0.1:3128/https://two.example|direct'"),
        ]
        mkdir(bin, 0o755)
        for (name, script) in answers {
            _ = try home.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)")
            chmod("\(bin)/\(name)", 0o755)
        }
        let admin = ["--admin", "127.0.0.1:\(try unusedPort())"]
        let words = ["pip", "npm", "go", "cargo"].flatMap { ["--for", $0] }
        let outcome = try Self.run(home, admin + words, path: bin)
        #expect(
            outcome.output == """
                export PIP_INDEX_URL=http://127.0.0.1:3128/https://pip.example/simple
                export npm_config_registry=http://127.0.0.1:3128/https://npm.example/
                export npm_config_omit_lockfile_registry_resolved=true
                export npm_config_replace_registry_host=npm.example
                export GOPROXY='http://127.0.0.1:3128/https://go.example,http://127.0.0.1:3128/https://two.example|direct'
                # Write to $CARGO_HOME/config.toml, since cargo has no variable for this:
                # [source.crates-io]
                # replace-with = "respite"
                # [source.respite]
                # registry = "sparse+http://127.0.0.1:3128/https://cargo.example/index/"

                """,
            "\(outcome)"
        )
        let silent = try Self.run(home, admin + ["--for", "uv"], path: bin)
        #expect(silent.status == 2 && silent.errors.contains("--index URL"), "\(silent)")
        let told = try Self.run(home, admin + ["--for", "pip", "--index", "https://other.example/simple"])
        #expect(told.output == "export PIP_INDEX_URL=http://127.0.0.1:3128/https://other.example/simple\n", "\(told)")
        let unknown = try Self.run(home, admin + ["--for", "nothing"])
        #expect(unknown.status == 2 && unknown.errors.contains("pip, uv, npm"), "\(unknown)")
    }

    @Test(
        "the page on / shows the forms that env prints, with a word for the index",
        arguments: [
            ("pip", "https://INDEX/simple/", "pip config set"), ("npm", "https://INDEX/", "npm config set registry"),
            ("cargo", "https://INDEX/", "sparse+"),
        ]
    )
    func page(tool: String, index: String, mark: String) throws {
        let daemon = try DaemonProcess()
        let outcome = try daemon.tool("env", "--for", tool, "--index", index)
        let prefix = "http://127.0.0.1:\(daemon.port)/"
        #expect(outcome.status == 0 && outcome.output.contains(prefix + index.lowercased()), "\(outcome)")
        let form = prefix + index
        let page = try daemon.client().exchange("GET", "/", ["Host: 127.0.0.1:\(daemon.port)"]).text
        let line = page.split(separator: "\n").first { $0.contains(form) && $0.contains(mark) }
        #expect(line != nil, "\(page)")
    }
}
