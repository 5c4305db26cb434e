@testable import CommandSyntax
@testable import Settings
import Testing

@testable import CommandTexts

/// The order and the elements of the manual's pages.
@Suite struct ManualOutlineTests {
    private static let (commands, settings) = (
        Manual.page(.commands, version: "1"), Manual.page(.settings, version: "1")
    )

    /// What stands behind a request, by lines.
    private static func titles(_ request: String, of page: String) -> [String] {
        page.split(separator: "\n").filter { $0.hasPrefix("\(request) ") }.map { String($0.dropFirst(5).dropLast()) }
    }

    /// How many lines are this request.
    private static func count(_ request: Substring, in page: String) -> Int {
        page.split(separator: "\n").count { $0 == request }
    }

    @Test("the sections come in the usual order, and the commands in that of help")
    func sections() {
        #expect(
            Self.titles(".SH", of: Self.commands) == [
                "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "SIGNALS", "ENVIRONMENT", "FILES",
                "EXAMPLES", "SEE ALSO",
            ]
        )
        let usages = CommandSpecification.listed.map(\.usage).map(ManualText.escaped)
        #expect(Self.titles(".SS", of: Self.commands) == usages)
        let synopsis = usages.map { ".PP\n\($0)\n" }.joined()
        #expect(Self.commands.contains("\n.SH \"SYNOPSIS\"\n\(synopsis).SH \"DESCRIPTION\"\n"))
        #expect(
            Self.titles(".SH", of: Self.settings) == [
                "NAME", "DESCRIPTION", "SETTINGS", "LISTENERS", "SERVICES", "INCLUDED RULES", "WARMING", "RULES",
                "TRANSFORMERS", "EXAMPLES", "FILES", "SEE ALSO",
            ]
        )
        #expect(
            Self.titles(".SS", of: Self.settings) == [
                "Before any section", "[memory]", "[storage]", "[shared]", "[limits]", "[upstream]", "[cache]", "[dns]",
                "[tunnel]", "[log]", "[telemetry]", "[tls]", "[intercept]", "[access]", "[access.destinations]",
                "[pac]",
            ]
        )
    }

    @Test("each option, setting, code, signal, variable and file is an item of its own, and each example is one")
    func items() {
        let listed = CommandSpecification.listed
        let lists =
            CommandSpecification.exitCodes.count + ManualProse.signals.count + ManualProse.environment.count
            + ManualProse.files.count
        #expect(Self.count(".TP", in: Self.commands) == listed.map(\.options.count).reduce(0, +) + lists)
        #expect(Self.count(".TP", in: Self.settings) == DocumentedSetting.all.count + ManualProse.files.count)
        #expect(Self.count(".nf", in: Self.commands) == listed.count + ManualProse.examples.count)
        #expect(Self.count(".nf", in: Self.settings) == 1)
        for page in [Self.commands, Self.settings] {
            #expect(Self.count(".nf", in: page) == Self.count(".fi", in: page))
            #expect(Self.count(".RS 4", in: page) == Self.count(".RE", in: page))
        }
    }

    @Test("a page says first what it is about, and last where to read on")
    func ends() {
        #expect(Self.commands.contains("\n.SH \"NAME\"\n.PP\nrespite \\- a caching HTTP proxy\n.SH "))
        #expect(Self.commands.hasSuffix("\n.SH \"SEE ALSO\"\n.PP\nrespite.toml(5), curl(1), systemctl(1)\n"))
        #expect(Self.settings.contains("\n.SH \"NAME\"\n.PP\nrespite.toml \\- settings of respite(1)\n.SH "))
        #expect(Self.settings.hasSuffix("\n.SH \"SEE ALSO\"\n.PP\nrespite(1)\n"))
    }

    // MARK: Parts in full

    private static let match = #"""
        .SS "respite match [options] PATTERN URL..."
        .PP
        Tells which URLs fit a pattern; exit status 0 if one does, 1 if none does.
        .PP
        It needs no daemon. By default the pattern is one of URLs, as in rules, \(gals\(ga and \(gapurge\(ga.
        .TP
        \fB\-\-host\fR
        the pattern is one of hosts, as in intercept.hosts: no scheme, no path
        .TP
        \fB\-\-json\fR
        as JSON
        .PP
        .nf
        .RS 4
        respite match \(aqhttps://*.example.org/**\(aq https://a.example.org/x
        .RE
        .fi

        """#

    private static let memory = #"""
        .SS "[memory]"
        .TP
        \fBmemory.limit\fR (size, 1MiB to 4TiB)
        Memory for stored responses, their fields included. Default: "256MiB"

        """#

    private static let limit = #"""
        .TP
        \fBstorage.limit\fR (size, 32MiB to 1024TiB, or percent of the disk)
        Largest size of the store on disk at any time: database, its log and body files. "80%": of the whole file system. A change takes effect with the next start. Default: "4GiB"

        """#

    private static let listeners = #"""
        .TP
        \fBlistener.address\fR (address)
        Where clients connect, as in listen. A socket from systemd with this address becomes this listener.
        .TP
        \fBlistener.routes\fR (list of forward | prefix | services | gateway)
        Routes of this listener: forward (a forward proxy, CONNECT too), prefix (/http://host/), services, gateway (the origin of gateway). Default: gateway alone if that is set, else all others; prefix not on plain HTTP beyond loopback.
        .TP
        \fBlistener.login\-file\fR (path | false)
        Users of this listener, in place of those of access.login\-file. false: it requires no login.

        """#

    private static let attempts = #"""
        .TP
        \fBrule.retry.attempts\fR (number, 2 to 10)
        Most attempts, the first one included. Default: 3

        """#

    @Test("a command has its summary, its paragraphs, its options and its example")
    func command() { #expect(Self.commands.contains("\n" + Self.match + ".SS ")) }

    @Test("a setting has type, meaning and default, and whether a change waits for the next start")
    func setting() {
        #expect(Self.settings.contains("\n" + Self.memory + ".SS "))
        #expect(Self.settings.contains("\n" + Self.limit + ".TP\n"))
    }

    @Test("a table has its introduction, and its members with their defaults")
    func table() {
        #expect(Self.settings.contains("\n.SH \"LISTENERS\"\n.PP\nEach [[listener]] is an address with its routes, "))
        #expect(Self.settings.contains("\n" + Self.listeners + ".SH \"SERVICES\"\n.PP\n"))
        #expect(Self.settings.contains("\n" + Self.attempts + ".TP\n"))
    }
}
