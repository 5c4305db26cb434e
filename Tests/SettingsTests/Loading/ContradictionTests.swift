import HTTPCore
import Testing

@testable import Settings

/// Settings that contradict each other, each told in full at its place.
@Suite struct ContradictionTests {
    private static let remedy =
        "list who may use it in `access.clients`, set `access.login-file`, or `access.allow-open-proxy = true`"
    private static let token =
        "token = { url = \"http://l.example/\", client-id = \"a\", client-secret = { file = \"s\" } }\n"
    private static let openToAll = "[access]\nallow-open-proxy = true\n[[listener]]\naddress = \"0.0.0.0:1\"\n"

    private static let listeners: [(String, String)] = [
        ("[tls]\nkey-file = \"k\"", "2:1: `tls.key-file` needs `tls.certificate-file` beside it"),
        ("[tls]\ncertificate-file = \"c\"", "2:1: `tls.certificate-file` needs `tls.key-file` beside it"),
        (
            "listen = \"https://127.0.0.1:1\"",
            "1:1: https://127.0.0.1:1 needs `tls.certificate-file` and `tls.key-file`"
        ),
        (
            "[[listener]]\naddress = \"https://127.0.0.1:1\"",
            "2:1: https://127.0.0.1:1 needs `tls.certificate-file` and `tls.key-file`"
        ),
        (
            "admin = \"https://127.0.0.1:1\"\n[tls]\ncertificate-file = \"c\"\nkey-file = \"k\"",
            "1:1: `admin` speaks plain HTTP, for this machine alone: write 127.0.0.1:1"
        ),
        (
            "admin = [\"127.0.0.1:2\", \"0.0.0.0:1\"]",
            "1:1: `admin` must be a loopback address such as 127.0.0.1:3129, or a Unix socket, not 0.0.0.0:1"
        ),
        (
            "listen = [\"127.0.0.1:1\", \"127.0.0.1:1\"]",
            "1:1: `listen` names 127.0.0.1:1, where another listener is already: leave one of them out"
        ),
        (
            "admin = \"127.0.0.1:3128\"",
            "1:1: `admin` names 127.0.0.1:3128, where another listener is already: leave one of them out"
        ),
        (
            "[[listener]]\naddress = \"127.0.0.1:1\"\n[[listener]]\naddress = \"127.0.0.1:1\"",
            "4:1: `listener.address` names 127.0.0.1:1, where another listener is already: leave one of them out"
        ),
        (
            "gateway = \"http://h.example\"\n[[listener]]\naddress = \"127.0.0.1:1\"\nroutes = [\"forward\"]",
            "1:1: `gateway` is offered nowhere: name it in `routes` of a [[listener]], or leave it out"
        ),
        (
            "[[listener]]\naddress = \"127.0.0.1:1\"\n[[listener]]\naddress = \"127.0.0.1:2\"\nroutes = [\"gateway\"]",
            "5:1: `listener.routes` names gateway, and `gateway` does not say the origin: set it, or leave the route out"
        ),
        (
            "gateway = \"http://127.0.0.1:80\"\nintercept.hosts = [\"a.example\"]",
            "2:11: `intercept.hosts` is for CONNECT, which no listener allows: `gateway` does not unless `routes` of a "
                + "[[listener]] name \"forward\""
        ),
    ]

    private static let clients: [(String, String)] = [
        ("listen = \"0.0.0.0:1\"", "1:1: 0.0.0.0:1 makes a forward proxy that others can reach: \(remedy)"),
        (
            "[[listener]]\naddress = \"127.0.0.1:2\"\n[[listener]]\naddress = \"0.0.0.0:1\"",
            "4:1: 0.0.0.0:1 makes a forward proxy that others can reach: \(remedy)"
        ),
        (
            "listen = \"0.0.0.0:1\"\naccess.clients = [\"10.0.0.0/8\", \"0.0.0.0/0\"]",
            "2:8: 0.0.0.0/0 makes an open proxy of 0.0.0.0:1: \(remedy)"
        ),
        (
            "listen = \"0.0.0.0:1\"\naccess.clients = [\"10.0.0.0/8\", \"::/0\"]",
            "2:8: ::/0 makes an open proxy of 0.0.0.0:1: \(remedy)"
        ),
        (
            "[service.a]\nbase = \"http://h.example\"\n" + token + openToAll,
            "3:1: the token of `service.a` would be for all who reach 0.0.0.0:1: list who may use the proxy in "
                + "`access.clients`"
        ),
        (
            "[service.a]\nbase = \"http://h.example\"\nheaders = { A = \"b\" }\n" + token + openToAll,
            "3:1: the headers of `service.a` would be for all who reach 0.0.0.0:1: list who may use the proxy in "
                + "`access.clients`"
        ),
        (
            "[service.a]\nbase = \"http://h.example\"\nheaders = { authorization = \"b\" }\n" + token,
            "4:1: `service.a.token` and the field Authorization of its `headers` are one credential too many"
        ),
    ]

    private static let tiers: [(String, String)] = [
        (
            "[shared]\nurl = \"redis://a.example\"\ncluster = [\"b.example\"]",
            "3:1: `shared.url` and `shared.cluster` are both set: leave one of them out"
        ),
        (
            "[shared]\nurl = \"redis://a.example\"\nuser = \"u\"",
            "3:1: `shared.user` needs `shared.password-file`: name the file with its password"
        ),
        (
            "[[rule]]\nmatch = \"http://h.example/\"\nvary-ignore = [\"A\", \"Cookie\"]",
            "3:1: `rule.vary-ignore` names Cookie, which tells users apart: their answers are never one another's"
        ),
    ]

    @Test("what contradicts something is told at its place, with the remedy", arguments: listeners + clients + tiers)
    func told(text: String, message: String) {
        #expect(refusal(text)?.summary == "respite.toml:" + message)
    }

    @Test(
        "what goes together is right",
        arguments: [
            "[shared]\nurl = \"redis://a.example\"\nuser = \"u\"\npassword-file = \"p\"",
            "[shared]\ncluster = [\"b.example\"]", "[tls]\ncertificate-file = \"c\"\nkey-file = \"k\"",
            "listen = \"https://127.0.0.1:1\"\n[tls]\ncertificate-file = \"c\"\nkey-file = \"k\"",
            "listen = \"0.0.0.0:1\"\naccess.clients = [\"10.0.0.0/8\", \"0.0.0.0/1\"]",
            "[service.a]\nbase = \"http://h.example\"\nheaders = { A = \"b\" }\n" + token,
            "listen = \"unix:/run/a\"\nadmin = \"unix:/run/b\"", "listen = [\"127.0.0.1:1\", \"127.0.0.2:1\"]",
            "[[rule]]\nmatch = \"http://h.example/\"\nvary-ignore = [\"A\", \"*\"]",
        ]
    )
    func right(text: String) { #expect(refusal(text) == nil) }

    // MARK: Bounds

    /// Two settings of which the first must not be above the second, with a small and a large value.
    struct Bound: CustomTestStringConvertible {
        let section, lower, upper, small, large: String

        init(_ section: String, _ lower: String, _ upper: String, _ small: String, _ large: String) {
            (self.section, self.lower, self.upper, self.small, self.large) = (section, lower, upper, small, large)
        }

        var testDescription: String { "\(section).\(lower)" }
    }

    private static let bounds = [
        Bound("storage", "max-object-size", "limit", "64MiB", "65MiB"),
        Bound("upstream", "retry-time", "retry-time-max", "1m", "2m"),
        Bound("limits", "chunk-extension-line", "chunk-extensions", "1KiB", "64KiB"),
        Bound("limits", "request-target", "header-section", "32KiB", "128KiB"),
    ]

    private static func file(_ section: String, _ values: (name: String, value: String)...) -> String {
        "[\(section)]\n" + values.map { "\($0.name) = \"\($0.value)\"\n" }.joined()
    }

    @Test("a setting above another one is refused if both are set, and they may be equal", arguments: bounds)
    func bothSet(_ bound: Bound) {
        let (lower, upper) = ("\(bound.section).\(bound.lower)", "\(bound.section).\(bound.upper)")
        #expect(
            refusal(Self.file(bound.section, (bound.lower, bound.large), (bound.upper, bound.small)))?.summary
                == "respite.toml:2:1: `\(lower)` must not be above `\(upper)` (respite.toml:3:1): lower it, or raise that"
        )
        #expect(refusal(Self.file(bound.section, (bound.lower, bound.large), (bound.upper, bound.large))) == nil)
        #expect(refusal(Self.file(bound.section, (bound.lower, bound.small), (bound.upper, bound.large))) == nil)
    }

    @Test("the default of a setting gives way to the other one, and only as far as it must", arguments: bounds)
    func oneSet(_ bound: Bound) throws {
        func text(_ name: String, _ file: String) throws -> String {
            try #require(SettingKey.byName["\(bound.section).\(name)"]).tomlText(in: load(file).values)
        }
        let low = Self.file(bound.section, (bound.upper, bound.small))
        #expect(try text(bound.upper, low) == "\"\(bound.small)\"")
        let standard = try text(bound.lower, "")
        let lowered = try text(bound.lower, low)
        #expect(lowered == "\"\(bound.small)\"" || lowered == standard)
        let high = Self.file(bound.section, (bound.lower, bound.large))
        #expect(try text(bound.lower, high) == "\"\(bound.large)\"")
    }

    @Test("defaults that give way are those of the other setting")
    func givingWay() throws {
        #expect(try load("limits.chunk-extensions = \"1KiB\"").values.limits.chunkExtensionLine == .kibibytes(1))
        #expect(try load("limits.chunk-extension-line = \"64KiB\"").values.limits.chunkExtensions == .kibibytes(64))
        #expect(try load("limits.request-target = \"128KiB\"").values.limits.headerSection == .kibibytes(128))
        #expect(try load("limits.header-section = \"32KiB\"").values.limits.requestTarget == .kibibytes(16))
        #expect(try load("upstream.retry-time-max = \"500ms\"").values.upstream.retryTime == .milliseconds(500))
        #expect(try load("storage.max-object-size = \"8GiB\"").values.storage.limit.size == .gibibytes(8))
    }

    // MARK: Who may connect

    @Test("listed clients stay listed, also where the proxy may be open")
    func listedClients() throws {
        let range = try #require(AddressRange(text: "10.0.0.0/8"))
        for other in ["access.allow-open-proxy = true", "gateway = \"http://127.0.0.1:80\""] {
            let values = try load("listen = \"0.0.0.0:1\"\naccess.clients = [\"10.0.0.0/8\"]\n" + other).values
            #expect(values.access.clients == [range] && values.access.listsClients)
        }
        let open = try load("listen = \"0.0.0.0:1\"\naccess.allow-open-proxy = true").values
        #expect(open.access.clients.map(\.description) == ["0.0.0.0/0", "::/0"] && !open.access.listsClients)
        #expect(try load("").values.access.clients.map(\.description) == ["127.0.0.0/8", "::1"])
        #expect(open.listensLocally == false && open.mayReachLoopback == false)
    }

    @Test(
        "a gateway answers to every name beyond loopback unless names are listed, and always on a Unix socket",
        arguments: [
            ("127.0.0.1:1", "", false), ("0.0.0.0:1", "", true), ("unix:/run/a", "", true),
            ("127.0.0.1:1", "\"a.example\"", false), ("0.0.0.0:1", "\"a.example\"", false),
            ("unix:/run/a", "\"a.example\"", true), ("127.0.0.1:1", "\"*\"", true), ("0.0.0.0:1", "\"*\"", true),
        ]
    )
    func everyName(address: String, names: String, answers: Bool) throws {
        let values = try load(
            "gateway = \"http://127.0.0.1:80\"\nlisten = \"\(address)\"\naccess.own-names = [\(names)]"
        ).values
        #expect(values.answersToEveryName(try #require(values.allListeners.first)) == answers)
    }
}
