import HTTPCore
import Testing

@testable import Settings

/// `[[listener]]`: addresses and the routes that are offered there.
@Suite struct ListenerSettingsTests {
    private static let table = "[[listener]]\naddress = \"127.0.0.1:1\"\nroutes = [\"forward\", \"services\"]\n"

    private static func shown(_ settings: DaemonSettings) -> [String] {
        settings.allListeners.map { listener in
            "\(listener.address) " + settings.routes(of: listener).map(\.rawValue).sorted().joined(separator: ",")
        }
    }

    @Test("listeners have the routes they name; without listen there are no others")
    func routes() throws {
        #expect(Self.shown(try load("").values) == ["127.0.0.1:3128 forward,prefix,services"])
        #expect(Self.shown(try load(Self.table).values) == ["127.0.0.1:1 forward,services"])
        let both = try load("listen = \"[::1]:2\"\n" + Self.table).values
        #expect(Self.shown(both) == ["[::1]:2 forward,prefix,services", "127.0.0.1:1 forward,services"])
        let usual = try load("[[listener]]\naddress = \"127.0.0.1:1\"\n[[listener]]\naddress = \"unix:/run/x\"\n")
            .values
        #expect(usual.listeners.count == 2 && Self.shown(usual)[1] == "unix:/run/x forward,prefix,services")
    }

    @Test("a gateway makes its origin all there is, unless routes are named")
    func gateway() throws {
        let gateway = "gateway = \"http://127.0.0.1:80\"\n"
        #expect(Self.shown(try load(gateway).values) == ["127.0.0.1:3128 gateway"])
        #expect(Self.shown(try load(gateway + "listen = \"0.0.0.0:1\"").values) == ["0.0.0.0:1 gateway"])
        let both = try load(gateway + "listen = \"0.0.0.0:2\"\n" + Self.table).values
        #expect(Self.shown(both) == ["0.0.0.0:2 gateway", "127.0.0.1:1 forward,services"])
        #expect(both.access.clients.contains { $0.prefixLength == 0 })
        #expect(try #require(refusal(gateway + Self.table)).userMessage.contains("`gateway` is offered nowhere"))
        let without = "[[listener]]\naddress = \"127.0.0.1:1\"\nroutes = [\"gateway\"]"
        #expect(try #require(refusal(without)).line == 3)
    }

    @Test(
        "beyond loopback all routes but a gateway's need an address list, and the prefix form needs to be named (H-139)"
    )
    func beyondLoopback() throws {
        func table(_ routes: String) -> String { "[[listener]]\naddress = \"0.0.0.0:1\"\nroutes = [\(routes)]\n" }
        let gateway = "gateway = \"http://127.0.0.1:80\"\n"
        for routes in ["\"forward\"", "\"prefix\"", "\"services\""] {
            #expect(try #require(refusal(table(routes))).line == 2, "\(routes)")
            #expect(refusal(gateway + table("\(routes), \"gateway\"")) != nil, "\(routes)")
            #expect(refusal("access.clients = [\"10.0.0.0/8\"]\n" + table(routes)) == nil, "\(routes)")
        }
        #expect(refusal(gateway + table("\"gateway\"")) == nil)
        let open = try load("listen = \"0.0.0.0:1\"\naccess.clients = [\"10.0.0.0/8\"]").values
        #expect(Self.shown(open) == ["0.0.0.0:1 forward,services"])
    }

    @Test(
        "what is wrong with a listener is told with its line",
        arguments: [
            ("[[listener]]\nroutes = [\"forward\"]", "needs `address`"),
            ("[[listener]]\naddress = \"1\"", "listener.address"),
            ("[[listener]]\naddress = \"[::1]:1\"\nroutes = []", "must not be empty"),
            ("[[listener]]\naddress = \"[::1]:1\"\nroutes = [\"forwards\"]", "listener.routes"),
            ("[[listener]]\naddress = \"[::1]:1\"\nrouts = []", "unknown setting"),
            ("listen = \"[::1]:1\"\n[[listener]]\naddress = \"[::1]:1\"", "another listener is already"),
            ("[[listener]]\naddress = \"https://[::1]:1\"", "tls.certificate-file"),
            ("[[listener]]\naddress = \"[::1]:1\"\nlogin-file = true", "login-file"),
            ("[[listener]]\naddress = \"[::1]:1\"\nlogin-file = \"\"", "login-file"),
            ("listener = 1", "list of at most 64"),
        ]
    )
    func faults(text: String, message: String) throws {
        let error = try #require(refusal(text))
        #expect(error.userMessage.contains(message), "\(error.userMessage)")
        #expect(error.line != nil)
    }

    @Test("a listener has the login file of access.login-file, its own, or none; with one it may be beyond loopback")
    func logins() throws {
        let settings = try load(
            """
            access.login-file = "all"
            [[listener]]
            address = "0.0.0.0:1"
            [[listener]]
            address = "0.0.0.0:2"
            login-file = "own"
            [[listener]]
            address = "127.0.0.1:3"
            login-file = false
            """
        ).values
        #expect(settings.allListeners.map(settings.loginFile) == ["all", "own", nil])
        #expect(settings.access.clientsWithoutLogin == [] && settings.access.listsClients)
        let open = "[[listener]]\naddress = \"0.0.0.0:1\"\nlogin-file = false\n"
        #expect(refusal("access.login-file = \"all\"\n" + open)?.userMessage.contains("access.login-file") == true)
        let lists = [("\"10.0.0.0/8\", \"::1\"", 2), ("\"127.0.0.0/8\", \"::1\"", 0), ("\"10.0.0.1\", \"::/0\"", 0)]
        for (list, count) in lists {
            let access = try load("access.login-file = \"f\"\naccess.clients = [\(list)]").values.access
            #expect(access.clientsWithoutLogin.count == count, "\(list)")
        }
    }

    @Test("what an option says of listeners takes the place of what the file says, in whichever form")
    func options() throws {
        let option = "listener=[{address=\"[::1]:9\", routes=[\"services\"]}]"
        #expect(
            Self.shown(try load(Self.table, options: ["listen=127.0.0.1:8"]).values) == [
                "127.0.0.1:8 forward,prefix,services"
            ]
        )
        #expect(Self.shown(try load("listen = \"[::1]:2\"", options: [option]).values) == ["[::1]:9 services"])
        let both = try load(Self.table, options: ["listen=127.0.0.1:8", option]).values
        #expect(Self.shown(both) == ["127.0.0.1:8 forward,prefix,services", "[::1]:9 services"])
    }

    @Test(
        "a socket that is handed over has the routes of the listener with its address; one that is missing is an error"
    )
    func handedOver() throws {
        var reader = SettingsReader()
        reader.read(Array(("listen = \"[::1]:2\"\n" + Self.table).utf8), name: "respite.toml")
        reader.inheritListeners(["127.0.0.1:5", "127.0.0.1:1"])
        #expect(
            Self.shown(try reader.finish().values) == [
                "127.0.0.1:5 forward,prefix,services", "127.0.0.1:1 forward,services",
            ]
        )
        var other = SettingsReader()
        other.read(Array(Self.table.utf8), name: "respite.toml")
        other.inheritListeners(["127.0.0.1:5"])
        let error = #expect(throws: SettingsError.self) { try other.finish() }
        #expect(error?.userMessage.contains("127.0.0.1:1") == true && error?.line == 2)
    }

    @Test("routes change with a reload, addresses with a restart")
    func reload() throws {
        let running = try load("listen = \"[::1]:2\"\n" + Self.table)
        let text =
            "[[listener]]\naddress = \"127.0.0.1:1\"\nroutes = [\"prefix\"]\n[[listener]]\naddress = \"[::1]:7\"\n"
        let new = try load(text)
        let kept = try new.keepingWhatNeedsRestart(of: running)
        #expect(Self.shown(kept.values) == ["[::1]:2 forward,prefix,services", "127.0.0.1:1 prefix"])
        #expect(new.changes(since: running).map(\.name) == ["listen", "listener"])
        #expect(new.changes(since: running).map(\.needsRestart) == [true, true])
        let routes = try load("listen = \"[::1]:2\"\n" + Self.table.replacing("forward", with: "prefix"))
        let changes = routes.changes(since: running)
        #expect(changes.map(\.name) == ["listener"] && changes.map(\.needsRestart) == [false])
        // The same address in the other form is the same listener.
        let moved = try load("[[listener]]\naddress = \"[::1]:2\"\nroutes = [\"forward\"]\n" + Self.table)
        #expect(Self.shown(try moved.keepingWhatNeedsRestart(of: running).values)[0] == "[::1]:2 forward")
    }

    @Test("a listener that the new settings do not name keeps its login until the restart")
    func keptLogin() throws {
        let running = try load(
            """
            listen = "[::1]:2"
            access = { login-file = "all" }
            [[listener]]
            address = "127.0.0.1:1"
            login-file = "own"
            """
        )
        let kept = try load("listen = \"[::1]:3\"").keepingWhatNeedsRestart(of: running).values
        #expect(kept.allListeners.map(kept.loginFile) == ["all", "own"])
        let named = try load("listen = \"[::1]:2\"").keepingWhatNeedsRestart(of: running).values
        #expect(named.allListeners.map(named.loginFile) == [nil, "own"])
    }

    @Test("listeners are listed as they are written")
    func listing() throws {
        let loaded = try load(Self.table)
        let text = SettingsDocument.listing(loaded)
        #expect(text.contains("[[listener]]") && text.contains("routes = [\"forward\", \"services\"]"))
        #expect(try load(text.replacing("listen = []", with: "")).values.listeners == loaded.values.listeners)
    }

    @Test(
        "own-names takes names and patterns of names, and every name by * alone",
        arguments: [
            ("proxy.example", true), ("*.lan", true), ("**.Example", true), ("{a,b}.lan", true), ("api-*.lan", true),
            ("10.0.0.1", true), ("[fd00::1]", true), ("https://*.lan/**", true), ("a_b", true), ("*", true),
            ("**", false), ("*.*", false), ("**.*", false), ("{*,a.lan}", false), ("https://**", false), ("*:*", false),
            ("*.lan:80", false), ("a.lan:*", false), ("a.lan/x", false), (".lan", false), ("a..lan", false),
            ("{a}.lan", false), ("{a,b", false), ("[fd00::1", false), ("", false), ("{a,}", false), ("{*,**}", false),
        ]
    )
    func ownNames(text: String, isValid: Bool) throws {
        let setting = "access.own-names = [\"\(text)\"]"
        guard isValid else {
            #expect(refusal(setting)?.description.contains("`access.own-names`") == true)
            return
        }
        let values = try load(setting).values
        #expect(values.access.ownNames.map(\.text) == [text.lowercased()])
        #expect(values.access.answersToEveryName == (text == "*"))
        #expect(try load(SettingsDocument.listing(load(setting))).values.access.ownNames == values.access.ownNames)
    }

    @Test("names: own-names takes *, private-names takes patterns of names")
    func names() throws {
        let values = try load(
            "access.own-names = [\"*\", \"A.example\"]\naccess.private-names = [\"*.localtest.me\", \"corp\"]"
        ).values
        #expect(values.access.ownNames.map(\.text) == ["*", "a.example"] && values.access.answersToEveryName)
        #expect(values.access.privateNames.map(\.text) == ["*.localtest.me", "corp"])
        #expect(refusal("access.private-names = [\"*\"]")?.userMessage.contains("access.rebind-protection") == true)
        for name in ["10.0.0.0/8", "10.0.0.1", "[::1]", "**", "**.*", "https://**", "a:80", "a:*", "a/x", "{a}"] {
            #expect(refusal("access.private-names = [\"\(name)\"]") != nil, "\(name)")
        }
        #expect(refusal("access.rebind-protection = \"lopback\"")?.suggestion == "loopback")
        #expect(try load("gateway-host = \"client\"").values.gatewayHost == .client)
    }
}
