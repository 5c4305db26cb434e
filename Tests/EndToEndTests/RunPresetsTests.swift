import Glibc
import Testing
import TestSupport

/// `respite run` with package managers; the tool is a script that does what pip does.
struct RunPresetsTests {
    private let home = TemporaryDirectory()
    private let index: ScriptedOrigin
    private let files: ScriptedOrigin

    init() throws {
        let files = try ScriptedOrigin { exchange in
            // No lifetime: only a rule makes this a hit.
            try exchange.reply("200 OK", ["Content-Type: application/octet-stream", "ETag: \"1\""], body: "wheel")
        }
        self.files = files
        index = try ScriptedOrigin { exchange in
            let page = "<a href=\"\(files.url("/packages/1/2/3/six.whl"))#sha256=1\">six.whl</a>"
            try exchange.reply("200 OK", ["Content-Type: text/html", "Cache-Control: max-age=60"], body: page)
        }
    }

    /// Writes the script `pip`, which names `url` and fetches a page and the file to which that links.
    private func tool(_ url: String) throws {
        try home.write(
            """
            #!/bin/sh
            if [ "$2" = --help ]; then echo "--index-url <url> (default $(cat "$HOME/index"))"; exit; fi
            [ "$1" = --version ] && exit
            page=$(curl -sS "${PIP_INDEX_URL:-none}/six/")
            curl -sS "$(printf %s "$page" | sed 's/.*href="//;s/[#"].*//')"

            """,
            to: "pip",
            mode: 0o700
        )
        try home.write(url, to: "index")
    }

    private func run(_ options: [String], _ words: [String]) throws -> Command.Outcome {
        try Command.run(
            ["env", "HOME=\(home.path)", "PATH=\(home.path):/usr/bin:/bin", DaemonProcess.executable, "run"] + options
                + ["--"] + words,
            environment: DaemonProcess.environment(home)
        )
    }

    private func alone() throws -> [String] { ["--admin", "127.0.0.1:\(try unusedPort())", "--config", "/dev/null"] }

    @Test(
        "a package manager is pointed at the gateway, and the second run has hits, also for the files of another host"
    )
    func pip() throws {
        try tool(index.url("/simple"))
        for (turn, words) in [["pip", "install"], [home.path("pip"), "install"], ["sh", "-c", "pip install"]]
            .enumerated()
        {
            let outcome = try run(alone(), words)
            #expect(outcome.status == 0 && outcome.output == "wheel", "\(outcome)")
            #expect(outcome.errors.hasPrefix("respite: 2 requests, \(turn == 0 ? 0 : 2) hits"), "\(outcome.errors)")
        }
        #expect(index.requests.count == 1 && files.requests.count == 1)
        let offline = try run(alone() + ["--mode", "offline"], ["pip", "install"])
        #expect(offline.output == "wheel", "\(offline)")
    }

    @Test("--rules points the tools of a command that nobody knows")
    func named() throws {
        try tool("https://index.invalid/simple")
        try home.write("#!/bin/sh\nexec pip install\n", to: "build", mode: 0o700)
        let outcome = try run(alone() + ["--rules", "pip=\(index.url("/simple"))"], ["build"])
        #expect(outcome.output == "wheel" && outcome.errors.hasPrefix("respite: 2 requests"), "\(outcome)")
        let wrong = try run(alone() + ["--rules", "pipp"], ["build"])
        #expect(wrong.status == 2 && wrong.errors.contains("no rules called") && wrong.output.isEmpty, "\(wrong)")
        #expect(wrong.errors.contains("pip"))
        let absent = try run(alone() + ["--rules", "oci"], ["build"])
        #expect(absent.status == 2 && absent.errors.contains("write \"oci=URL\""), "\(absent)")
    }

    @Test("a running daemon is used if it has the rules for this index; otherwise one of the command's own")
    func shared() throws {
        try tool(index.url("/simple"))
        let bare = try DaemonProcess()
        func options(_ daemon: DaemonProcess) -> [String] {
            [
                "--admin", "127.0.0.1:\(daemon.adminPort)", "--token-file", daemon.storePath + "/admin-token",
                "--config", "/dev/null",
            ]
        }
        let own = try run(options(bare), ["pip", "install"])
        #expect(own.output == "wheel", "\(own)")
        #expect(own.errors.contains("has no rules for the index of pip; starting another one"), "\(own.errors)")
        let ready = try DaemonProcess(["--rules", "pip=\(index.url("/simple"))"])
        let outcome = try run(options(ready), ["pip", "install"])
        #expect(outcome.output == "wheel" && outcome.errors.hasPrefix("respite: 2 requests, 0 hits"), "\(outcome)")
        let again = try run(options(ready), ["pip", "install"])
        #expect(again.errors.hasPrefix("respite: 2 requests, 2 hits"), "\(again)")
    }

    @Test("a password in the index goes to no daemon, note or file")
    func password() throws {
        let secret = index.url("/simple").replacing("http://", with: "http://ann:hidden@")
        try tool(secret)
        let outcome = try run(alone(), ["sh", "-c", "echo ${PIP_INDEX_URL-none}; pip --version"])
        #expect(outcome.output.hasPrefix("none\n"), "\(outcome)")
        #expect(outcome.errors.contains("stays as it is") && !outcome.errors.contains("hidden"), "\(outcome)")
        let kept = try Command.run(["grep", "-rl", "hidden", home.path("cache")])
        #expect(kept.output.isEmpty, "\(kept)")
    }

    @Test("what a command was given on files is gone when it has ended, and a daemon's CA of its own with it")
    func privateFiles() throws {
        let script =
            "echo $NODE_EXTRA_CA_CERTS; echo $NODE_OPTIONS; echo $JAVA_TOOL_OPTIONS; test -f \"$SSL_CERT_FILE\""
        let outcome = try run(alone() + ["--intercept=a.example"], ["sh", "-c", script])
        #expect(outcome.status == 0, "\(outcome)")
        let paths = outcome.output.split { $0.isWhitespace || $0 == "=" }.filter { $0.hasPrefix("/") }
        #expect(paths.count == 3, "\(outcome.output)")
        for path in paths { #expect(access(String(path), F_OK) != 0, "\(path)") }
    }

    @Test("a signal that comes before the command is started leaves neither the CA's key nor another file behind")
    func interrupted() throws {
        // It stops where it reads the bundle that a variable names: by then it has written the key.
        let bundle = home.path("bundle")
        try #require(mkfifo(bundle, 0o600) == 0)
        let temporary = home.directory("tmp")
        let command = try Command(
            [
                "env", "HOME=\(home.path)", "TMPDIR=\(temporary)", "REQUESTS_CA_BUNDLE=\(bundle)",
                DaemonProcess.executable, "run",
            ] + alone() + ["--intercept=a.example", "--", "true"],
            environment: DaemonProcess.environment(home)
        )
        // A command that ends too early would leave us waiting for its reader.
        let reader = BackgroundThread {
            _ = try? command.waitForEnd()
            close(open(bundle, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        }
        let writer = open(bundle, O_WRONLY | O_CLOEXEC)
        #expect(filesBelow(temporary).contains { $0.contains("/ca/") })
        command.send(signal: SIGTERM)
        close(writer)
        let outcome = try command.wait()
        #expect(outcome.status == 128 + SIGTERM, "\(outcome)")
        #expect(rmdir(temporary) == 0, "\(filesBelow(temporary))")
        try reader.join()
    }

    @Test("a command that is not there is exit code 127 and a sentence, before anything is started")
    func missing() throws {
        let outcome = try run(alone() + ["--intercept"], ["no-such-program"])
        #expect(outcome.status == 127)
        #expect(
            outcome.errors == "respite: cannot run no-such-program: there is no program of this name on the PATH\n"
        )
        #expect(access(home.path("cache"), F_OK) != 0)
    }
}
