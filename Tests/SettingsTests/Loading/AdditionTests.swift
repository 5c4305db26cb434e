@testable import CommandSyntax
import Glibc
import HTTPCore
import Platform
import Testing
import TestSupport

@testable import Settings

/// Files of `conf.d` beside the settings file.
@Suite struct AdditionTests {
    private let directory = TemporaryDirectory()

    /// Writes the settings file and files of `conf.d`, and reads them with options.
    private func read(_ main: String?, _ files: [String: String], options: [String] = []) throws -> SettingsReading {
        _ = directory.directory("conf.d")
        if let main { try directory.write(main, to: "respite.toml") }
        for (name, text) in files { try directory.write(text, to: "conf.d/\(name)") }
        return try read(options)
    }

    private func read(_ options: [String] = []) throws -> SettingsReading {
        var words = ["serve", "--config", directory.path("respite.toml")]
        for option in options { words += ["--set", option] }
        let command = try ParsedCommand.parse(words)
        return LoadedSettings.read(command, context: ProcessContext(environment: [:], isRoot: false))
    }

    /// The mistakes, without the directory's path.
    private func mistakes(_ reading: SettingsReading) -> [String] {
        reading.mistakes.all.map { $0.summary.replacing(directory.path, with: "") }
    }

    private func warnings(_ reading: SettingsReading) -> [String] {
        reading.settings.warnings.map { $0.summary.replacing(directory.path, with: "") }
    }

    @Test("rules, listeners, includes and services of each file are added, in the order of the names")
    func added() throws {
        let rule = "[[rule]]\nmatch = \"http://a.example/NAME\"\nttl = \"1m\"\n"
        let include = "[[include]]\nfile = \"more.toml\"\nbelow = \"http://b.example/\"\n"
        try directory.write("[[rule]]\nmatch = \"/included\"\nttl = \"1m\"\n", to: "more.toml")
        let reading = try read(
            rule.replacing("NAME", with: "main") + "[service.x]\nbase = \"http://x.example\"\n[[service.x.rule]]\n"
                + "match = \"/1\"\nttl = \"1m\"\n",
            [
                "20-b.toml": rule.replacing("NAME", with: "b") + "[[listener]]\naddress = \"127.0.0.1:2\"\n",
                "10-a.toml": rule.replacing("NAME", with: "a") + "[[listener]]\naddress = \"127.0.0.1:1\"\n" + include,
                "30-c.toml": "[service.x]\nallow-origins = \"*\"\n[[service.x.rule]]\nmatch = \"/2\"\nttl = \"1m\"\n"
                    + "[service.y]\nbase = \"http://y.example\"\n",
                "ignored.toml~": "oops", ".hidden.toml": "oops", "readme": "oops",
            ]
        )
        #expect(mistakes(reading) == [])
        #expect(warnings(reading) == [])
        let loaded = reading.settings
        #expect(
            loaded.values.rules.map(\.match) == [
                "http://b.example/included", "http://a.example/main", "http://a.example/a", "http://a.example/b",
            ]
        )
        #expect(loaded.values.listeners.map(\.address.description) == ["127.0.0.1:1", "127.0.0.1:2"])
        #expect(loaded.values.services.map(\.name) == ["x", "y"])
        #expect(loaded.values.services.first?.rules.map(\.match) == ["/1", "/2"])
        #expect(loaded.values.services.first?.allowOrigins == ["*"])
        // Each is told with its own file and line.
        let file = directory.path("conf.d/")
        #expect(loaded.origin(ofPath: "rule[2].ttl") == .file(path: "\(file)10-a.toml", line: 3, column: 1))
        #expect(loaded.origin(ofPath: "rule[3].match") == .file(path: "\(file)20-b.toml", line: 2, column: 1))
        #expect(loaded.origin(ofPath: "listener[1].address") == .file(path: "\(file)20-b.toml", line: 5, column: 1))
        #expect(
            loaded.origin(ofPath: "service.x.rule[1].ttl") == .file(path: "\(file)30-c.toml", line: 5, column: 1)
        )
        #expect(SettingsDocument.listing(loaded).contains("# \(file)30-c.toml:2:1"))
    }

    @Test("rules of all files together are as many as a file may have, and no more")
    func tooMany() throws {
        let rule = "[[rule]]\nmatch = \"**\"\nttl = \"1m\"\n"
        let all = String(repeating: rule, count: RuleSettings.limit - 1)
        #expect(mistakes(try read(all, ["10-a.toml": rule])) == [])
        let reading = try read(all, ["10-a.toml": rule, "20-b.toml": rule])
        #expect(
            mistakes(reading) == [
                "/conf.d/20-b.toml:1:3: with this file there are more than \(RuleSettings.limit) rules"
            ]
        )
    }

    @Test("of a setting that is set twice the later value holds, and both places are told; an option is told nothing")
    func twice() throws {
        let reading = try read(
            "loops = 1\nmode = \"online\"\n[hosts]\n\"a.example\" = \"192.0.2.1\"\n[service.x]\nbase = \"http://x.example\"\n"
                + "headers = { X-A = \"1\", X-B = \"1\" }\n",
            [
                "1.toml": "loops = 2\n[hosts]\n\"A.example\" = \"192.0.2.2\"\n\"b.example\" = \"192.0.2.3\"\n",
                "2.toml":
                    "loops = 3\n[service.x]\nbase = \"http://z.example\"\nheaders = { X-B = \"2\", X-C = \"2\" }\n",
            ],
            options: ["mode=offline"]
        )
        #expect(mistakes(reading) == [])
        #expect(
            warnings(reading) == [
                "/conf.d/1.toml:1:1: `loops` is set at /respite.toml:1:1, too; this later value holds",
                "/conf.d/1.toml:3:1: `hosts.a.example` is set at /respite.toml:4:1, too; this later value holds",
                "/conf.d/2.toml:1:1: `loops` is set at /conf.d/1.toml:1:1, too; this later value holds",
                "/conf.d/2.toml:3:1: `service.x.base` is set at /respite.toml:6:1, too; this later value holds",
                "/conf.d/2.toml:4:13: `service.x.headers.X-B` is set at /respite.toml:7:24, too; this later value holds",
            ]
        )
        let values = reading.settings.values
        #expect(values.loops == 3 && values.mode == .offline)
        #expect(values.hosts["a.example"]?.map(\.description) == ["192.0.2.2"] && values.hosts.count == 2)
        #expect(values.services.first?.base.text == "http://z.example/")
        #expect(values.services.first?.headers.map(\.name) == ["X-A", "X-B", "X-C"])
    }

    @Test("mistakes of all files are told together, in the order in which the files are read")
    func mistakesOfAll() throws {
        let reading = try read("loops = -1\n", ["b.toml": "mode = \"of\"\n", "a.toml": "lops = 1\nlisten = [\n"])
        #expect(
            try #require(SettingsError(reading.mistakes.all, in: reading.settings.sources)).mistakes.map {
                "\($0.source.replacing(directory.path, with: "")) \($0.line ?? 0)"
            } == ["/respite.toml 1", "/conf.d/a.toml 1", "/conf.d/a.toml 2", "/conf.d/b.toml 1"]
        )
    }

    @Test("files are read without a settings file, too, and for a path of this process's user")
    func alone() throws {
        try directory.write("loops = 7\n", to: "home")
        let home = TemporaryDirectory()
        _ = home.directory("respite/conf.d")
        try home.write("loops = 7\n", to: "respite/conf.d/x.toml")
        let context = ProcessContext(environment: ["XDG_CONFIG_HOME": home.path], isRoot: false)
        let loaded = try LoadedSettings.load(try ParsedCommand.parse(["serve"]), context: context)
        #expect(loaded.values.loops == 7)
        #expect(loaded.filePath("secret", context) == home.path("respite/secret"))
    }

    @Test("an empty conf.d of the user hides no settings file of the machine")
    func empty() throws {
        let home = TemporaryDirectory()
        _ = home.directory("respite/conf.d")
        try home.write("oops", to: "respite/conf.d/readme")
        // Where nothing is read, the file beside which secrets are is not the user's either.
        let context = ProcessContext(environment: ["XDG_CONFIG_HOME": home.path], isRoot: false)
        let loaded = try LoadedSettings.load(try ParsedCommand.parse(["serve"]), context: context)
        let machine = "/etc/respite/respite.toml"
        #expect(loaded.file == (SmallFile.exists(machine) ? machine : nil))
    }

    @Test("a share of the disk is that of the whole file system which has the store, or would have it")
    func share() throws {
        let reading = try read("storage.limit = \"50%\"\nstorage.directory = \"\(directory.path)/new/store\"\n", [:])
        #expect(mistakes(reading) == [])
        let limit = reading.settings.values.storage.limit
        var status = statvfs()
        #expect(statvfs(directory.path, &status) == 0)
        #expect(limit.percent == 50 && limit.bytes == Int(status.f_blocks) * Int(status.f_frsize) / 100 * 50)
        #expect(SettingsDocument.listing(reading.settings).contains("limit = \"50%\""))
        let none = try read("storage.limit = \"50%\"\nstorage.directory = \"none\"\n", [:])
        #expect(mistakes(none) == [])
    }

    // MARK: Attacks

    @Test(
        "a file of conf.d that others may write, or that is no file, is refused with the remedy, and nothing of it holds",
        arguments: [
            ("writable", "may be written by everybody on this machine; `chmod o-w"),
            ("link", "may be written by everybody on this machine; `chmod o-w"),
            ("dangling", "cannot be read: No such file"),
            ("directory", "is no regular file; move it out of the directory"),
            ("pipe", "is no regular file; move it out of the directory"),
            ("loop", "cannot be read: Too many levels of symbolic links"),
        ]
    )
    func notFiles(_ kind: String, _ message: String) throws {
        let path = directory.directory("conf.d") + "/x.toml"
        try directory.write("", to: "respite.toml")
        switch kind {
        case "writable": try directory.write("loops = 7\n", to: "conf.d/x.toml", mode: 0o666)
        case "link":
            try directory.write("loops = 7\n", to: "elsewhere", mode: 0o622)
            symlink(directory.path("elsewhere"), path)
        case "dangling": symlink("/nowhere/x", path)
        case "directory": _ = directory.directory("conf.d/x.toml")
        case "pipe": mkfifo(path, 0o600)
        default: symlink(path, path)
        }
        let reading = try read()
        #expect(mistakes(reading).count == 1)
        #expect(mistakes(reading).first?.hasPrefix("/conf.d/x.toml: \(message)") == true, "\(mistakes(reading))")
        #expect(reading.settings.values.loops == DaemonSettings().loops)
    }

    @Test("a link to a file of the same user is read")
    func link() throws {
        _ = directory.directory("conf.d")
        try directory.write("loops = 7\n", to: "elsewhere")
        symlink("../elsewhere", directory.path("conf.d/x.toml"))
        try directory.write("", to: "respite.toml")
        #expect(try read().settings.values.loops == 7)
    }

    @Test(
        "a directory that everybody may write to is refused, also a sticky one",
        arguments: [0o777, 0o1777] as [mode_t]
    )
    func openDirectory(mode: mode_t) throws {
        try directory.write("", to: "respite.toml")
        chmod(directory.directory("conf.d"), mode)
        try directory.write("loops = 7\n", to: "conf.d/x.toml")
        let reading = try read()
        #expect(mistakes(reading).first?.hasPrefix("/conf.d: may be written by everybody") == true)
        #expect(reading.settings.values.loops == DaemonSettings().loops)
    }

    @Test(
        "files and directories of another user are refused, unless it owns the settings file",
        .enabled(if: geteuid() == 0)
    )
    func foreign() throws {
        let reading = try read("", ["x.toml": "loops = 7\n"])
        #expect(mistakes(reading) == [])
        for path in ["conf.d/x.toml", "conf.d"] {
            chown(directory.path(path), 4711, 4711)
            let message = try #require(mistakes(try read()).first)
            #expect(message.hasPrefix("/\(path): belongs to user 4711, who could change it; `chown` it to root"))
        }
        chown(directory.path("respite.toml"), 4711, 4711)
        #expect(mistakes(try read()) == [])
    }

    @Test("a settings file that everybody may write is read, with a warning")
    func openFile() throws {
        let path = try directory.write("loops = 7\n", to: "respite.toml", mode: 0o666)
        let reading = try read()
        #expect(reading.settings.values.loops == 7)
        #expect(
            warnings(reading) == [
                "/respite.toml: may be written by everybody on this machine; `chmod o-w \(path)`"
                    .replacing(directory.path, with: "")
            ]
        )
    }

    @Test("conf.d may have 200 files of settings, and no more")
    func count() throws {
        let files = (1...200).map { ("\($0).toml", "# \($0)\n") }
        let most = try read("loops = 7\n", Dictionary(uniqueKeysWithValues: files))
        #expect(mistakes(most) == [])
        let tooMany = try read(nil, ["201.toml": "# 201\n"])
        #expect(mistakes(tooMany) == ["/conf.d: has more than 200 files of settings"])
    }
}
