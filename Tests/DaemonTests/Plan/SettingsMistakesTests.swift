import CommandSyntax
import Platform
import Settings
import Testing
import TestSupport

@testable import Daemon

/// Mistakes that users make, each with the words that tell it: place, meaning, remedy.
@Suite struct SettingsMistakesTests {
    private static let mistakes: [(file: String, message: String)] = mistakesOfText + mistakesOfValues + mistakesOfParts

    /// Reads a file as a start does; returns the mistakes, without the directory's path.
    private static func mistakes(of file: String) throws -> [SettingsError] {
        let directory = TemporaryDirectory()
        let path = try directory.write(file, to: "respite.toml")
        let command = try ParsedCommand.parse(["serve", "--config", path])
        let files = SettingsFiles(
            command: command,
            context: ProcessContext(environment: ["HOME": directory.path], isRoot: false)
        )
        do throws(SettingsError) {
            _ = try files.plan()
            return []
        } catch {
            return error.mistakes.map { mistake in
                var shown = mistake
                shown.place.source = mistake.source.replacing("\(directory.path)/", with: "")
                shown.userMessage = mistake.userMessage.replacing("\(directory.path)/", with: "")
                return shown
            }
        }
    }

    @Test("each of more than fifty mistakes is told with place, meaning and remedy", arguments: mistakes)
    func told(_ file: String, _ message: String) throws {
        let mistakes = try Self.mistakes(of: file)
        #expect(mistakes.map(\.summary) == [message])
    }

    @Test("there are more than fifty, and all of one file are told at once")
    func together() throws {
        #expect(Self.mistakes.count > 50)
        // Files of one kind can be joined: what a start finds in files that settings name comes with the rest.
        let file = """
            loops = "2"
            [[include]]
            file = "nothing.toml"
            below = "https://a.example/"
            [[rule]]
            match = "https://a.example/**"
            transform = [{ json = "select", path = "$[" }]
            [service.github]
            base = "https://api.github.example"
            headers = { Authorization = { file = "no-such-file" } }
            [tls]
            certificate-file = "none.crt"
            key-file = "none.key"
            ca-files = ["none.pem"]
            """
        let mistakes = try Self.mistakes(of: file)
        #expect(mistakes.map { $0.line ?? 0 } == [1, 3, 7, 10, 12, 14], "\(mistakes)")
    }

    @Test("services that claim one base are told with the other mistakes, each at its place")
    func bases() throws {
        let file = """
            [service.a]
            base = "http://x.example/v1"
            [service.b]
            base = "http://x.example/%761/"
            [service.c]
            base = "http://X.example/v1"
            [service.d]
            base = "http://x.example/y/../v1?q"
            [tls]
            certificate-file = "none.crt"
            key-file = "none.key"
            """
        let mistakes = try Self.mistakes(of: file)
        #expect(mistakes.map { $0.line ?? 0 } == [4, 6, 8, 10], "\(mistakes)")
        #expect(mistakes.first?.userMessage == "the services a and b have the same base http://x.example/%761")
    }

    private static let mistakesOfText: [(file: String, message: String)] = [
        (
            "mode = auto",
            "respite.toml:1:8: text needs straight quotes: name = \"text\""
        ),
        (
            "mode = \"auto",
            "respite.toml:1:13: the text has no quote at its end; text of several lines "
                + "stands in \"\"\"…\"\"\""
        ),
        (
            "loops = 1\nloops = 2",
            "respite.toml:2:1: `loops` stands here for the second time; the first is in line "
                + "1: leave one of them out"
        ),
        (
            "[limits]\nranges = 4\n[cache]\ncookies = \"share\"\n[limits]\nidle-timeout = \"1m\"",
            "respite.toml:5:1: `limits` stands here for the second time; the first is in line "
                + "1: write its settings there"
        ),
        (
            "[limits\nranges = 4",
            "respite.toml:1:8: a heading has `]` at its end: [section]"
        ),
        (
            "loops 3",
            "respite.toml:1:7: behind a name comes `=`: name = value"
        ),
        (
            "listen = [\"127.0.0.1:3128\"\nmode = \"auto\"",
            "respite.toml:2:1: a list has commas between its values and `]` at its end"
        ),
        (
            "[limits]\nheader-timout = \"10s\"",
            "respite.toml:2:1: unknown setting `limits.header-timout`; did you mean "
                + "`limits.header-timeout`?"
        ),
        (
            "header-timeout = \"10s\"",
            "respite.toml:1:1: unknown setting `header-timeout`; did you mean "
                + "`limits.header-timeout`?"
        ),
        (
            "[limit]\nranges = 4",
            "respite.toml:1:2: unknown setting `limit`; did you mean `limits`?"
        ),
        (
            "[quic]\nport = 443",
            "respite.toml:1:2: unknown setting `quic`; this is version \(Version.text), and a newer one "
                + "may know it; `respite config schema` lists those of this one"
        ),
        (
            "log = \"debug\"",
            "respite.toml:1:1: `log` is a section, not a setting: write [log], and its "
                + "settings below"
        ),
    ]

    private static let mistakesOfValues: [(file: String, message: String)] = [
        (
            "loops = \"2\"",
            "respite.toml:1:9: `loops` must be a whole number from 0 to 256, not \"2\"; did you "
                + "mean `2`?"
        ),
        (
            "[limits]\nidle-timeout = 60",
            "respite.toml:2:16: `limits.idle-timeout` must be a duration with units (ms, s, "
                + "m, h, d, w) such as \"30s\" or \"1h30m\", from 1ms to 365d, not 60; did you mean "
                + "`\"60s\"`?"
        ),
        (
            "[limits]\nidle-timeout = \"30m1h\"",
            "respite.toml:2:16: `limits.idle-timeout` must be a duration with units (ms, s, "
                + "m, h, d, w) such as \"30s\" or \"1h30m\", from 1ms to 365d, not \"30m1h\"; did you "
                + "mean `\"1h30m\"`?"
        ),
        (
            "[memory]\nlimit = \"64mb\"",
            "respite.toml:2:9: `memory.limit` must be a size with its unit (B, kB, KiB, MB, "
                + "MiB, GB, GiB, TB, TiB) such as \"64KiB\", from 1MiB to 4TiB, not \"64mb\"; did you "
                + "mean `\"64MB\"`?"
        ),
        (
            "[memory]\nlimit = \"1G\"",
            "respite.toml:2:9: `memory.limit` must be a size with its unit (B, kB, KiB, MB, "
                + "MiB, GB, GiB, TB, TiB) such as \"64KiB\", from 1MiB to 4TiB, not \"1G\"; did you "
                + "mean `\"1GiB\"`?"
        ),
        (
            "[memory]\nlimit = \"80%\"",
            "respite.toml:2:9: `memory.limit` must be a size with its unit (B, kB, KiB, MB, "
                + "MiB, GB, GiB, TB, TiB) such as \"64KiB\", from 1MiB to 4TiB, not \"80%\"; only "
                + "`storage.limit` can be a share of a disk"
        ),
        (
            "[storage]\nlimit = \"120%\"",
            "respite.toml:2:9: `storage.limit` must be a share of the disk from \"1%\" to "
                + "\"100%\", or a size, not \"120%\""
        ),
        (
            "[storage]\nlimit = \"1GiB\"\nmax-object-size = \"2GiB\"",
            "respite.toml:3:1: `storage.max-object-size` must not be above `storage.limit` "
                + "(respite.toml:2:1): lower it, or raise that"
        ),
        (
            "mode = \"ofline\"",
            "respite.toml:1:8: `mode` must be one of \"online\", \"auto\", \"offline\", \"replay\", "
                + "not \"ofline\"; did you mean `offline`?"
        ),
        (
            "listen = \"proxy.example:3128\"",
            "respite.toml:1:10: `listen` must be an address such as \"127.0.0.1:3128\", "
                + "\"https://[::1]:3443\" or \"unix:/run/respite.sock\", not \"proxy.example:3128\""
        ),
        (
            "listen = [\"127.0.0.1:3128\", \"127.0.0.1:3128\"]",
            "respite.toml:1:1: `listen` names 127.0.0.1:3128, where another listener is "
                + "already: leave one of them out"
        ),
        (
            "listen = \"0.0.0.0:3128\"",
            "respite.toml:1:1: 0.0.0.0:3128 makes a forward proxy that others can reach: list "
                + "who may use it in `access.clients`, set `access.login-file`, or `access.allow-open-proxy = true`"
        ),
        (
            "admin = \"0.0.0.0:3129\"",
            "respite.toml:1:1: `admin` must be a loopback address such as 127.0.0.1:3129, or "
                + "a Unix socket, not 0.0.0.0:3129"
        ),
        (
            "listen = \"https://127.0.0.1:3443\"",
            "respite.toml:1:1: https://127.0.0.1:3443 needs `tls.certificate-file` and "
                + "`tls.key-file`"
        ),
        (
            "access.connect-ports = \"all\"",
            "respite.toml:1:24: `access.connect-ports` must be a list of ports such as [443, "
                + "8443], or \"any\", not \"all\"; did you mean `\"any\"`?"
        ),
        (
            "access.own-names = [\"proxy.example:3128\"]",
            "respite.toml:1:21: `access.own-names` cannot have a port, as "
                + "\"proxy.example:3128\" has: a name is good for every port; did you mean "
                + "`\"proxy.example\"`?"
        ),
        (
            "access.own-names = [\"{*,a.lan}\"]",
            "respite.toml:1:21: `access.own-names` is for names of your own, and \"{*,a.lan}\" fits every name: a web page "
                + "could make its own name lead here (DNS rebinding); only \"*\" alone opens a gateway to every name"
        ),
        (
            "access.own-names = [\"*.lan:3128\"]",
            "respite.toml:1:21: `access.own-names` must be a name or pattern such as \"proxy.example\" or \"*.lan\", or "
                + "\"*\" for every name, not \"*.lan:3128\""
        ),
        (
            "hosts = { \"a.example:8080\" = \"192.0.2.1\" }",
            "respite.toml:1:11: `hosts` has \"a.example:8080\" with a port: a name leads to the "
                + "same addresses for every port; did you mean `\"a.example\"`?"
        ),
        (
            "upstream.no-proxy = [\"corp.example:8443\"]",
            "respite.toml:1:22: `upstream.no-proxy` cannot have a port, as "
                + "\"corp.example:8443\" has: a proxy is left out for every port of a host; "
                + "did you mean `\"corp.example\"`?"
        ),
        (
            "upstream.proxy = \"proxy.example:3128\"",
            "respite.toml:1:18: `upstream.proxy` must be a URL such as "
                + "\"http://proxy.example:3128\", \"socks5://127.0.0.1:1080\" or "
                + "\"socks5h://127.0.0.1:1080\""
        ),
        (
            "listen = \"127.0.0.1:${RESPITE_TEST_PORT}\"",
            "respite.toml:1:10: `listen` names the variable RESPITE_TEST_PORT, which is not "
                + "set; set it where Respite is started (`Environment=` of a systemd unit), or "
                + "write `${RESPITE_TEST_PORT:-DEFAULT}`"
        ),
        (
            "mode = \"${RESPITE TEST}\"",
            "respite.toml:1:8: `mode` has `${RESPITE TEST}`, which names no variable; write "
                + "`${NAME}` or `${NAME:-DEFAULT}`, and `$${` for the letters `${`"
        ),
    ]

    private static let mistakesOfParts: [(file: String, message: String)] = [
        (
            "tls.certificate-file = \"${HOME\"",
            "respite.toml:1:24: `tls.certificate-file` has `${` without its `}`; write `$${` "
                + "for the letters `${`"
        ),
        (
            "[[rule]]\nttl = \"1h\"",
            "respite.toml:1:1: a rule needs `match`, the URLs it is for"
        ),
        (
            "[[rule]]\nmatch = \"https://a.example/**\"\ntll = \"1h\"",
            "respite.toml:3:1: unknown setting `rule.tll`; did you mean `rule.ttl`?"
        ),
        (
            "[[rule]]\nmatch = \"https://a.example/**\"\nmethods = [\"get\"]\nttl = \"1h\"",
            "respite.toml:3:12: `rule.methods` must be a method in capitals, not \"get\"; did "
                + "you mean `GET`?"
        ),
        (
            "[[rule]]\nmatch = \"https://a.example/**\"\nstatus = 700\nnever-cache = true",
            "respite.toml:3:10: `rule.status` must be a status such as 200, \"4xx\" or "
                + "\"500-599\", from 100 to 599, not 700"
        ),
        (
            "[[rule]]\nmatch = \"https://a.example/**\"\nnever-cache = true\nttl = \"1h\"",
            "respite.toml:4:1: `rule.ttl` has no meaning with `never-cache = true`: leave one "
                + "of them out"
        ),
        (
            "[[rule]]\nmatch = \"https://a.example/**\"\ncontent-types = [\"text/html\"]\ndrop-query = [\"utm_*\"]",
            "respite.toml:4:1: `rule.drop-query` changes the URL before there is a response, "
                + "so it cannot depend on `content-types`: make it a rule of its own"
        ),
        (
            "[rule]\nmatch = \"https://a.example/**\"\nttl = \"1h\"",
            "respite.toml:1:1: `rule` must be a list of tables: write [[rule]], not a table"
        ),
        (
            "[[rule]]\nmatch = \"https://a.example/**\"\ntransform = [{ json = \"minfy\" }]",
            "respite.toml:3:23: `transform.json` must be one of \"validate\", \"minify\", "
                + "\"pretty\", \"select\", not \"minfy\"; did you mean `minify`?"
        ),
        (
            "[service.GitHub]\nbase = \"https://api.github.example\"",
            "respite.toml:1:10: `service.GitHub`: the name is a host label, of letters in "
                + "lower case, digits and - inside, 63 at most; did you mean `service.github`?"
        ),
        (
            "[service.github]\nheaders = { Accept = \"application/json\" }",
            "respite.toml:1:10: `service.github` needs `base`, the URL it stands for"
        ),
        (
            "[service.github]\nbase = \"https://api.github.example\"\nheaders = { Authorization = { file = \"no-such-file\" } }",
            "respite.toml:3:31: `service.github.headers.Authorization`: no-such-file cannot "
                + "be read: No such file or directory; it must hold the secret in one line, for its "
                + "owner alone (`chmod 600`)"
        ),
        (
            "[service.github]\nbase = \"https://api.github.example\"\ntoken = \"s3cret\"",
            "respite.toml:3:9: `service.github.token` must be a table such as { url = "
                + "\"https://…/token\", client-id = \"…\", client-secret = { file = \"…\" } }, not text"
        ),
        (
            "[[include]]\nfile = \"rules/nothing.toml\"\nbelow = \"https://a.example/\"",
            "respite.toml:2:1: the file rules/nothing.toml cannot be read: No such file or "
                + "directory; a relative path starts beside the settings file"
        ),
        (
            "[[listener]]\nroutes = [\"forward\"]",
            "respite.toml:1:1: a listener needs `address`, where clients connect"
        ),
        (
            "tls.key-file = \"me.key\"",
            "respite.toml:1:5: `tls.key-file` needs `tls.certificate-file` beside it"
        ),
        (
            "[intercept]\nhosts = [\"*.site.example\"]\nca-directory = \"/nowhere\"",
            "respite.toml:2:1: `intercept.hosts` needs a CA: there is no CA in /nowhere; "
                + "`respite ca create` makes one"
        ),
    ]
}
