import Glibc
import HTTPCore
import Platform
import Testing
import TestSupport

@testable import CommandSyntax
@testable import Settings

/// What settings say in files of their own: secrets, lists of URLs, included rules.
@Suite struct SecretFileTests {
    private let directory = TemporaryDirectory()

    private var context: ProcessContext { ProcessContext(environment: [:], isRoot: false) }

    private func read(_ text: String) throws -> LoadedSettings {
        let path = try directory.write(text, to: "respite.toml")
        return try LoadedSettings.load(try ParsedCommand.parse(["serve", "--config", path]), context: context)
    }

    /// The mistakes of a step, without the directory's path.
    private func shown(_ mistakes: SettingsMistakes) -> [String] {
        mistakes.all.map { $0.summary.replacing("\(directory.path)/", with: "") }
    }

    private static let service = "[service.x]\nbase = \"http://x.example\"\n"

    @Test("fields of services are texts, or prefixes before the line of a file; each mistake is told at its file")
    func fields() throws {
        try directory.write("hush\r\n", to: "good")
        let loaded = try read(
            Self.service
                + "headers = { A = \"b\", C = { file = \"good\", prefix = \"Bearer \" }, D = { file = \"none\" }, E = \"f\" }\n"
        )
        var mistakes = SettingsMistakes()
        let fields = loaded.serviceFields(context, &mistakes)
        #expect(
            fields == [
                "x": [
                    FieldSetting(name: "A", value: "b"), FieldSetting(name: "C", value: "Bearer hush"),
                    FieldSetting(name: "E", value: "f"),
                ]
            ]
        )
        #expect(
            shown(mistakes) == [
                "respite.toml:3:71: `service.x.headers.D`: none cannot be read: No such file or directory; it must hold the "
                    + "secret in one line, for its owner alone (`chmod 600`)"
            ]
        )
    }

    @Test(
        "a secret is one line of at most 8192 bytes in a file that others can neither read nor change",
        arguments: [
            ("hush", 0o600, nil), ("hush\n", 0o640, nil), (String(repeating: "a", count: 8192), 0o600, nil),
            (String(repeating: "a", count: 8193), 0o600, "s has more than 8192 bytes"), ("", 0o600, "s is empty"),
            ("\n", 0o600, "s is empty"),
            ("a\nb", 0o600, "s must hold one line of text, which can be the value of a field"),
            (" a", 0o600, "s must hold one line of text, which can be the value of a field"),
            ("hush", 0o644, "s can be read by everybody, or written by others than its owner; `chmod 600` it"),
            ("hush", 0o620, "s can be read by everybody, or written by others than its owner; `chmod 600` it"),
        ] as [(String, UInt32, String?)]
    )
    func secrets(text: String, mode: UInt32, fault: String?) throws {
        try directory.write(text, to: "s", mode: mode)
        let loaded = try read("[shared]\nurl = \"redis://a.example\"\npassword-file = \"s\"\n")
        do throws(SettingsError) {
            let secret = try loaded.secret(loaded.values.shared.passwordFile, at: "shared.password-file", context)
            #expect(secret == Array(text.prefix { $0 != "\n" }.utf8) && fault == nil)
        } catch {
            let message = error.summary.replacing("\(directory.path)/", with: "")
            #expect(message == fault.map { "respite.toml:3:1: `shared.password-file`: \($0)" })
        }
    }

    @Test("where no file is named there is no secret, and a directory is none")
    func noSecret() throws {
        let loaded = try read("")
        #expect(try loaded.secret(nil, at: "shared.password-file", context) == nil)
        let error = #expect(throws: SettingsError.self) {
            try loaded.secret(directory.path, at: "shared.password-file", context)
        }
        #expect(error?.userMessage == "`shared.password-file`: \(directory.path) is no regular file")
    }

    @Test("the secrets of a token endpoint are read by the service's name")
    func tokens() throws {
        try directory.write("one", to: "c")
        try directory.write("two", to: "r")
        func token(_ files: String) -> String {
            "token = { url = \"http://l.example/\", client-id = \"a\", \(files) }\n"
        }
        let loaded = try read(
            "[service.a]\nbase = \"http://a.example\"\n" + token("client-secret = { file = \"c\" }")
                + "[service.b]\nbase = \"http://b.example\"\n"
                + token("client-secret = { file = \"c\" }, refresh-token = { file = \"r\" }")
                + "[service.c]\nbase = \"http://c.example\"\n" + token("refresh-token = { file = \"none\" }")
                + "[service.d]\nbase = \"http://d.example\"\n"
        )
        var mistakes = SettingsMistakes()
        let secrets = loaded.tokenSecrets(context, &mistakes)
        #expect(
            secrets == [
                "a": TokenSecrets(clientSecret: "one"), "b": TokenSecrets(clientSecret: "one", refreshToken: "two"),
                "c": TokenSecrets(clientSecret: ""),
            ]
        )
        #expect(shown(mistakes).count == 1)
        #expect(shown(mistakes).first?.hasPrefix("respite.toml:9:") == true)
        #expect(shown(mistakes).first?.contains("`service.c.token.refresh-token`: none cannot be read") == true)
    }

    @Test("the login for a proxy is in its URL or in a file with USER:PASSWORD")
    func logins() throws {
        try directory.write("me:hush:hush\n", to: "l")
        try directory.write("me", to: "wrong")
        let loaded = try read("upstream.proxy = { url = \"http://p.example:1\", login = { file = \"l\" } }\n")
        let proxy = try #require(loaded.values.upstream.proxy)
        let login = try loaded.login(of: proxy, at: "upstream.proxy", context)
        #expect(login?.user == "me" && login?.password == "hush:hush")
        let inURL = try loaded.login(of: UpstreamProxy(text: "http://a:b@p.example:1"), at: "upstream.proxy", context)
        #expect(inURL?.user == "a" && inURL?.password == "b")
        let none = try loaded.login(of: UpstreamProxy(text: "http://p.example:1"), at: "upstream.proxy", context)
        #expect(none?.user == nil)
        var other = proxy
        other.login = .file("wrong")
        let error = #expect(throws: SettingsError.self) { try loaded.login(of: other, at: "upstream.proxy", context) }
        #expect(error?.userMessage == "`upstream.proxy.login`: wrong must hold USER:PASSWORD")
    }

    @Test("a file is looked for among the credentials, by its name or as one of a directory, then beside the settings")
    func places() throws {
        let loaded = try read("")
        try directory.write("a", to: "one")
        let credentials = TemporaryDirectory()
        try credentials.write("b", to: "secrets_two")
        try credentials.write("c", to: "one")
        let service = ProcessContext(environment: ["CREDENTIALS_DIRECTORY": credentials.path], isRoot: false)
        #expect(loaded.filePath("one", service) == credentials.path("one"))
        #expect(loaded.filePath("two", service) == credentials.path("secrets_two"))
        #expect(loaded.filePath("three", service) == directory.path("three"))
        #expect(loaded.filePath("/four", service) == "/four")
        #expect(loaded.filePath("one", context) == directory.path("one"))
        #expect(LoadedSettings(values: DaemonSettings()).filePath("one", context) == "one")
    }

    // MARK: Lists of URLs

    @Test("the URLs of a list are read, and what is wrong is told at its setting or in its line")
    func lists() throws {
        try directory.write("# why\nhttp://a.example/\n\nhttp://b.example/\n", to: "good")
        try directory.write("http://a.example/\nb\n", to: "bad")
        let loaded = try read(
            ["good", "none", "bad"].map { "[[warm]]\nurls = \"\($0)\"\nevery = \"1h\"\n" }.joined()
        )
        let warm = loaded.values.warm
        #expect(warm.map(\.every) == [.seconds(3600), .seconds(3600), .seconds(3600)])
        #expect(try loaded.urls(of: warm[0], context).map(\.text) == ["http://a.example/", "http://b.example/"])
        func fault(_ index: Int) -> String? {
            do throws(SettingsError) {
                _ = try loaded.urls(of: warm[index], context)
                return nil
            } catch {
                return error.summary.replacing("\(directory.path)/", with: "")
            }
        }
        #expect(
            fault(1)
                == "respite.toml:5:1: `warm.urls`: none cannot be read: No such file or directory; a relative path starts "
                + "beside the settings file"
        )
        #expect(fault(2)?.hasPrefix("bad:2: this is no http or https URL") == true)
        chmod(directory.path("good"), 0o666)
        #expect(
            fault(0)
                == "respite.toml:2:1: `warm.urls`: good may be written by everybody on this machine; `chmod o-w` it"
        )
    }

    @Test("a list of more than 128 MiB is not read")
    func largeList() throws {
        try directory.write("", to: "large")
        #expect(truncate(directory.path("large"), 128 << 20 + 1) == 0)
        let loaded = try read("[[warm]]\nurls = \"large\"\nevery = \"1h\"\n")
        let error = #expect(throws: SettingsError.self) { try loaded.urls(of: loaded.values.warm[0], context) }
        #expect(error?.userMessage == "`warm.urls`: \(directory.path)/large has more than 128 MiB; split it")
    }

    @Test("a list that is a directory is told what it should be, of URLs and of hosts")
    func directories() throws {
        _ = directory.directory("d")
        var loaded = try read(
            "[[warm]]\nurls = \"d\"\nevery = \"1h\"\n[[rule]]\nmatch-hosts-file = \"d\"\ndeny = \"no\"\n"
        )
        let error = #expect(throws: SettingsError.self) { try loaded.urls(of: loaded.values.warm[0], context) }
        #expect(error?.userMessage.hasSuffix("/d is no regular file; name a file of URLs, one a line") == true)
        var mistakes = SettingsMistakes()
        loaded.readHostLists(context, &mistakes)
        #expect(
            shown(mistakes) == [
                "respite.toml:5:1: `rule.match-hosts-file`: d is no regular file; name a file of hosts, one a line"
            ]
        )
    }

    @Test("a file of hosts is read once for all rules that name it, and its mistake is told once")
    func hostLists() throws {
        try directory.write("a.example\n", to: "good")
        func rule(_ file: String) -> String { "[[rule]]\nmatch-hosts-file = \"\(file)\"\ndeny = \"no\"\n" }
        var loaded = try read(rule("good") + rule("none") + rule("none") + rule("good"))
        var mistakes = SettingsMistakes()
        loaded.readHostLists(context, &mistakes)
        #expect(loaded.values.rules.map { $0.hosts != nil } == [true, false, false, true])
        #expect(shown(mistakes).count == 1 && shown(mistakes).first?.hasPrefix("respite.toml:5:1: ") == true)
        let url = try TargetURI(parsing: "http://a.example/")
        #expect(loaded.values.locatedRules.map { $0.matches(url) } == [true, false, false, true])
        #expect(loaded.values.locatedRules.map { $0.matchesOrigin(of: url) } == [true, false, false, true])
    }

    // MARK: Included files and conf.d

    @Test("an included file that cannot be read is told where it is named")
    func missingInclude() throws {
        let error = #expect(throws: SettingsError.self) {
            try read("loops = 1\n[[include]]\nfile = \"none\"\nbelow = \"http://a.example/\"\n")
        }
        #expect(
            error?.summary.replacing("\(directory.path)/", with: "")
                == "respite.toml:3:1: the file none cannot be read: No such file or directory; a relative path starts beside "
                + "the settings file"
        )
    }

    @Test("conf.d that is a file, or a link to itself, is told what it must be")
    func additions() throws {
        let path = try directory.write("loops = 1\n", to: "respite.toml")
        let command = try ParsedCommand.parse(["serve", "--config", path])
        try directory.write("", to: "conf.d")
        #expect(
            shown(LoadedSettings.read(command, context: context).mistakes) == [
                "conf.d: is no directory; settings beside the settings file are in a directory of this name"
            ]
        )
        unlink(directory.path("conf.d"))
        symlink(directory.path("conf.d"), directory.path("conf.d"))
        #expect(
            shown(LoadedSettings.read(command, context: context).mistakes) == [
                "conf.d: cannot be read: Too many levels of symbolic links"
            ]
        )
    }
}
