import Settings
import Testing

@testable import Daemon

/// What is told of patterns that fit nothing, or that earlier versions read in another way.
@Suite struct PatternNoteTests {
    private static func load(_ text: String) throws -> LoadedSettings {
        var reader = SettingsReader()
        reader.read(Array(text.utf8), name: "respite.toml")
        return try reader.finish()
    }

    @Test(
        "a pattern of a rule whose host or port is * is noted, since earlier versions took it for less",
        arguments: [
            (
                "http://*/x",
                "the host `*` is every host; earlier versions took it for hosts without a dot; `**` means every host to both"
            ),
            (
                "http://*:8080/x",
                "the host `*` is every host; earlier versions took it for hosts without a dot; `**` means every host to both"
            ),
            (
                "*://*?x",
                "the host `*` is every host; earlier versions took it for hosts without a dot; `**` means every host to both"
            ),
            ("http://a.example:*/x", "the port `*` is every port; earlier versions left out the scheme's own"),
            ("http://a.example/x", nil), ("http://**/x", nil), ("http://*.example/x", nil), ("**", nil),
            ("http://a.example:80/*", nil), ("http://a.example/*:*", nil),
        ] as [(String, String?)]
    )
    func rules(pattern: String, meaning: String?) throws {
        let loaded = try Self.load("[[rule]]\nmatch = \"\(pattern)\"\nttl = 0\n")
        #expect(loaded.patternNotes == meaning.map { ["respite.toml:2:1: `rule.match`: in `\(pattern)` \($0)"] } ?? [])
    }

    @Test("a private name that does not cover what is below it is noted, unless another one does")
    func privateNames() throws {
        let loaded = try Self.load(
            "access.private-names = [\"*.corp\", \"corp2\", \"**.lan\", \"lan\", \"a*.x\", \"*.lan\"]\n"
        )
        #expect(
            loaded.patternNotes == [
                "respite.toml:1:8: `access.private-names`: `*.corp` names one label below `corp`; `**.corp` is `corp` and all "
                    + "below it, at any depth",
                "respite.toml:1:8: `access.private-names`: `corp2` names that host alone; `**.corp2` is `corp2` and all below "
                    + "it, at any depth",
            ]
        )
        #expect(try Self.load("").patternNotes == [])
    }

    @Test("a pattern of intercepted hosts that fits nothing, or every host, is told; one that passes may be for all")
    func intercepted() throws {
        let loaded = try Self.load(
            """
            intercept.hosts = ["a.example:8080", "*", "b.example", "c.example:8443", "**"]
            intercept.pass-through = ["*", "b.example:81", "c.example"]
            """
        )
        #expect(
            loaded.patternWarnings.map(\.summary) == [
                "respite.toml:1:11: `intercept.hosts`: `a.example:8080` fits nothing: CONNECT to port 8080 is refused; add it "
                    + "to `access.connect-ports`",
                "respite.toml:1:11: `intercept.hosts`: `*` alone is every host; earlier versions took it for hosts without a "
                    + "dot; write `**` if you mean every host",
                "respite.toml:2:11: `intercept.pass-through`: `b.example:81` fits nothing: CONNECT to port 81 is refused; add "
                    + "it to `access.connect-ports`",
            ]
        )
    }

    @Test("a pattern of a rule without a path is told at its place, and one of a service is not")
    func withoutPath() throws {
        let loaded = try Self.load(
            """
            [service.x]
            base = "http://x.example"
            rule = [{ match = "/a", ttl = 0 }]
            [[rule]]
            match = "http://h.example"
            ttl = 0
            """
        )
        #expect(
            loaded.patternWarnings.map(\.summary) == [
                "respite.toml:5:1: `rule.match`: `http://h.example` has no path and fits the root page alone; write "
                    + "`http://h.example/**` for every page, `http://h.example/` for that one"
            ]
        )
    }

    @Test("a reverse proxy that requires a login is told, since browsers send none there")
    func logins() throws {
        let gateway = "gateway = \"http://h.example\"\n"
        let warnings = try Self.load("access.login-file = \"l\"\n" + gateway).loginWarnings.map(\.summary)
        #expect(
            warnings == [
                "respite.toml:2:1: the reverse proxy at 127.0.0.1:3128 requires a proxy login, which browsers do not send "
                    + "there: `login-file = false` in its [[listener]] lifts that"
            ]
        )
        #expect(try Self.load("access.login-file = \"l\"\n").loginWarnings == [])
        #expect(try Self.load(gateway).loginWarnings == [])
        let both = "[[listener]]\naddress = \"127.0.0.1:1\"\nroutes = [\"gateway\", \"forward\"]\nlogin-file = \"l\"\n"
        #expect(try Self.load(gateway + both).loginWarnings == [])
        let lifted = "[[listener]]\naddress = \"127.0.0.1:1\"\nlogin-file = false\n"
        #expect(try Self.load("access.login-file = \"l\"\n" + gateway + lifted).loginWarnings == [])
    }

    @Test("the names under which a gateway answers are noted for each listener that asks for one")
    func gatewayNames() throws {
        let loaded = try Self.load(
            """
            gateway = "http://h.example"
            listen = ["127.0.0.1:1", "unix:/run/a"]
            access.own-names = ["a.example", "localhost", "h.example"]
            """
        )
        #expect(
            loaded.values.notes == [
                "127.0.0.1:1: the gateway answers to localhost, *.localhost, 127.0.0.1, [::1], h.example, a.example; requests "
                    + "under another name get 421, such as those of a terminator that sets Host: list its names in "
                    + "`access.own-names`, or \"*\" for all, which lets web pages whose name leads here read the origin"
            ]
        )
        #expect(try Self.load("").values.notes == [])
    }

    @Test("services that no listener offers, and routes beside a gateway's, are told in full")
    func routes() throws {
        let loaded = try Self.load(
            """
            gateway = "http://h.example"
            [service.x]
            base = "http://x.example"
            [service.y]
            base = "http://y.example"
            inject = "all"
            [[listener]]
            address = "127.0.0.1:1"
            routes = ["prefix", "gateway", "forward"]
            """
        )
        #expect(
            loaded.routeWarnings.map(\.summary) == [
                "respite.toml:2:10: service x: no listener offers it, since a reverse proxy offers its origin alone; name "
                    + "\"services\" in `routes` of a [[listener]]",
                "respite.toml:9:1: 127.0.0.1:1: whoever reaches this reverse proxy may use forward, prefix too; behind a "
                    + "terminator on this machine that is everybody",
            ]
        )
        #expect(try Self.load("[service.x]\nbase = \"http://x.example\"\n").routeWarnings == [])
        #expect(try Self.load("access.own-names = [\"*\"]\n").routeWarnings == [])
    }
}
